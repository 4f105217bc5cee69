// SPDX-License-Identifier: Apache-2.0
#include "quantize/scaling.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "quantize/insertions.h"
#include "quantize/range.h"
#include "quantize/scaling_source.h"

namespace coracle::internal::quantize {
namespace {

/// Predicted noise has to fall by so many decibels: for parameters that are divided, and for a multiplication that each
/// run computes.
constexpr double kLeastGain = 0.1;
constexpr double kLeastGainOfInsertion = 3;
/// Factors are within 1 / kMostFactor and kMostFactor.
constexpr double kMostFactor = 4096;
/// Shares of the operand that are tried.
constexpr double kAlphas[] = {0.5, 0.25, 0.75, 1};

/// Weights of a layer by the channels of its operand and of their own ranges.
class LayerWeights {
 public:
  LayerWeights(const Layer& l, const Parameter& weights)
      : layer_(l), dims_(weights.dims), values_(floats_of(weights)), ranges_(at(dims_, l.axis)) {
    each([&](size_t i, size_t, size_t out) { ranges_[out] = std::max(ranges_[out], std::fabs(values_[i])); });
  }

  /// Channels of the operand.
  size_t channels() const {
    if (dims_.size() == 2) return at(dims_, 1 - layer_.axis);
    return is_transposed() ? at(dims_, 0) : at(dims_, 1) * static_cast<size_t>(layer_.groups);
  }

  /// Calls f(index, channel of the operand, element of the dimension that has ranges) for each weight.
  template <class F>
  void each(const F& f) const {
    const auto axis = static_cast<size_t>(layer_.axis);
    if (dims_.size() == 2) {
      const size_t columns = at(dims_, 1);
      for (size_t i = 0; i < values_.size(); ++i) {
        const size_t row = i / columns;
        const size_t column = i % columns;
        axis == 0 ? f(i, column, row) : f(i, row, column);
      }
      return;
    }
    const size_t taps = at(dims_, 2) * at(dims_, 3);
    const size_t second = at(dims_, 1);
    const size_t of_group = at(dims_, 0) / static_cast<size_t>(layer_.groups);
    for (size_t i = 0; i < values_.size(); ++i) {
      const size_t a = i / taps / second;
      const size_t b = i / taps % second;
      const size_t input = is_transposed() ? a : a / of_group * second + b;
      f(i, input, axis == 0 ? a : b);
    }
  }

  /// Raises each channel's to the largest weight, in parts of the range that it is rounded with.
  void add_largest(std::vector<double>& largest) const {
    each([&](size_t i, size_t channel, size_t out) {
      if (ranges_[out] <= 0) return;
      largest[channel] = std::max(largest[channel], static_cast<double>(std::fabs(values_[i]) / ranges_[out]));
    });
  }

  /// Sum of squares that rounding adds to the results of a position, where the operand has steps of `step`, mean
  /// squares of `squares` and both are scaled.
  double noise(double step, const std::vector<double>& squares, const std::vector<double>& factors) const {
    std::vector<double> ranges(ranges_.size());
    std::vector<double> operand(ranges_.size());
    double energy = 0;
    each([&](size_t i, size_t channel, size_t out) {
      const double w = std::fabs(values_[i]) * factors[channel];
      ranges[out] = std::max(ranges[out], w);
      operand[out] += squares[channel] / (factors[channel] * factors[channel]);
      energy += w * w;
    });
    double sum = step * step * energy;
    for (size_t o = 0; o < ranges.size(); ++o) sum += ranges[o] * ranges[o] / kMostSteps / kMostSteps * operand[o];
    return sum / 12;
  }

 private:
  static size_t at(const std::vector<int64_t>& dims, int dimension) {
    return static_cast<size_t>(dims[static_cast<size_t>(dimension)]);
  }
  bool is_transposed() const { return layer_.type.find("transpose") != std::string::npos; }

  const Layer& layer_;
  std::vector<int64_t> dims_;
  std::vector<float> values_;
  std::vector<float> ranges_;
};

/// What is known of an operand and of the layers that read it.
struct Operand {
  std::vector<LayerWeights> weights;
  std::vector<double> largest;  ///< absolute value of each channel
  std::vector<double> squares;  ///< mean of each channel
};

double noise(const Operand& x, const std::vector<double>& factors) {
  double largest = 0;
  for (size_t i = 0; i < factors.size(); ++i) largest = std::max(largest, x.largest[i] / factors[i]);
  double sum = 0;
  for (const LayerWeights& w : x.weights) sum += w.noise(largest / kMostSteps, x.squares, factors);
  return sum;
}

/// Factors of an operand; 1 for channels that are 0, or whose weights are. Their geometric mean is 1.
std::vector<double> factors(const Operand& x, const std::vector<double>& weights, double alpha) {
  std::vector<double> logarithms(weights.size());
  double sum = 0;
  size_t live = 0;
  const auto is_live = [&](size_t i) { return x.largest[i] > 0 && weights[i] > 0; };
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!is_live(i)) continue;
    logarithms[i] = alpha * std::log(x.largest[i]) - (1 - alpha) * std::log(weights[i]);
    sum += logarithms[i];
    ++live;
  }
  std::vector<double> result(weights.size(), 1);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!is_live(i)) continue;
    result[i] = std::clamp(std::exp(logarithms[i] - sum / static_cast<double>(live)), 1 / kMostFactor, kMostFactor);
  }
  return result;
}

/// Numbers stay what they are; false where one becomes infinite or loses digits.
bool is_kept(float before, float after) { return before == 0 || std::isnormal(after) || !std::isnormal(before); }

/// Elements of one dimension of a parameter, or all of them, divided by factors.
bool divide(Parameter& p, int dimension, const std::vector<float>& factors) {
  std::vector<float> values = floats_of(p);
  size_t inner = 1;
  for (size_t i = static_cast<size_t>(dimension) + 1; dimension >= 0 && i < p.dims.size(); ++i) {
    inner *= static_cast<size_t>(p.dims[i]);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const float before = values[i];
    values[i] /= factors[i / inner % factors.size()];
    if (!is_kept(before, values[i])) return false;
  }
  p = float_parameter(p.dims, values);
  return true;
}

bool multiply(Parameter& p, const Layer& l, const std::vector<float>& factors) {
  std::vector<float> values = floats_of(p);
  bool kept = true;
  LayerWeights(l, p).each([&](size_t i, size_t channel, size_t) {
    const float before = values[i];
    values[i] *= factors[channel];
    kept = kept && is_kept(before, values[i]);
  });
  p = float_parameter(p.dims, values);
  return kept;
}

class Scaler {
 public:
  Scaler(ScaledModel& model, const std::vector<Layer>& layers, const Activations& activations,
         const ScalingOptions& options)
      : model_(model), layers_(layers), activations_(activations), options_(options) {}

  void run() {
    const ScalingSources sources(model_.program, model_.parameters, layers_);
    Insertions insertions(model_.program, model_.parameters);
    std::map<std::pair<WrittenValue, int>, std::vector<size_t>> readers;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& l = layers_[i];
      if (l.kept.empty() && l.seen == l.x) readers[{l.x, l.x_channels}].push_back(i);
    }
    for (const auto& [value, numbers] : readers) {
      // Where nobody rounds the operand, nothing is won.
      if (std::none_of(numbers.begin(), numbers.end(), [&](size_t i) { return layers_[i].rounds_operand; })) continue;
      std::optional<Operand> x = operand(value.first, value.second, numbers);
      if (!x) continue;
      Scaling s;
      s.operand = value.first;
      s.value = value.first.variable;
      s.channels = value.second;
      s.layers = numbers;
      choose(*x, s);
      const std::optional<ScalingSource> source =
          sources.of(s.value, s.channels, static_cast<int64_t>(x->largest.size()), static_cast<int>(numbers.size()));
      if (source && s.gain >= kLeastGain) {
        s.by = source->type;
        if (rescale(s, source->divided)) model_.scalings.push_back(s);
      } else if (options_.insert && s.gain >= kLeastGainOfInsertion && is_insertable(s)) {
        insert(s, insertions);
      }
    }
    insertions.finish();
  }

 private:
  std::optional<Operand> operand(const WrittenValue& value, int channels, const std::vector<size_t>& numbers) const {
    const auto found = activations_.find(value);
    if (found == activations_.end() || found->second.counts.unfit() != 0) return std::nullopt;
    const Activation& a = found->second;
    const std::vector<double> means = a.means(channels);
    if (means.empty()) return std::nullopt;  // its shape changed there
    Operand x;
    x.largest.assign(a.largest.at(channels).begin(), a.largest.at(channels).end());
    x.squares = a.squares.at(channels);
    for (double& s : x.squares) s /= a.numbers.at(channels);
    for (size_t i : numbers) {
      x.weights.emplace_back(layers_[i], model_.parameters.at(layers_[i].weights));
      if (x.weights.back().channels() != x.largest.size()) return std::nullopt;
    }
    return x;
  }

  /// The factors by which the predicted noise is least.
  void choose(const Operand& x, Scaling& s) const {
    std::vector<double> weights(x.largest.size());
    for (const LayerWeights& w : x.weights) w.add_largest(weights);
    const double before = noise(x, std::vector<double>(weights.size(), 1));
    std::vector<double> alphas(std::begin(kAlphas), std::end(kAlphas));
    if (options_.alpha) alphas.assign(1, *options_.alpha);
    double least = before;
    for (const double alpha : alphas) {
      const std::vector<double> tried = factors(x, weights, alpha);
      const double after = noise(x, tried);
      if (after >= least) continue;
      least = after;
      s.factors.assign(tried.begin(), tried.end());
    }
    s.gain = s.factors.empty() ? 0 : 10 * std::log10(before / least);
  }

  /// Divides parameters and multiplies the layers' weights, or leaves all of them where one cannot hold its numbers.
  bool rescale(const Scaling& s, const std::vector<ScalingSource::Divided>& divided) {
    std::map<std::string, Parameter> before;
    bool kept = true;
    const auto changed = [&](const std::string& name) -> Parameter& {
      Parameter& p = model_.parameters.at(name);
      before.try_emplace(name, p);
      return p;
    };
    for (const auto& [name, dimension] : divided) kept = divide(changed(name), dimension, s.factors) && kept;
    for (size_t i : s.layers) kept = multiply(changed(layers_[i].weights), layers_[i], s.factors) && kept;
    if (kept) return true;
    for (auto& [name, p] : before) model_.parameters[name] = std::move(p);
    return false;
  }

  /// Whether all that reads an operand is scaled, and how it lies is known.
  bool is_insertable(const Scaling& s) const {
    const auto others = std::count_if(layers_.begin(), layers_.end(), [&](const Layer& l) {
      return l.seen == s.operand && (l.x != s.operand || l.x_channels != s.channels || !l.kept.empty());
    });
    const auto is_named = [&](size_t i) {
      return std::any_of(options_.keep.begin(), options_.keep.end(), [&](const std::string& name) {
        return name == layers_[i].name || name == layers_[i].weights;
      });
    };
    if (std::all_of(s.layers.begin(), s.layers.end(), is_named)) return false;
    const auto rank = static_cast<int>(model_.program.find(s.value)->dims.size());
    return others == 0 && rank > 0 && s.channels < rank;
  }

  void insert(const Scaling& s, Insertions& insertions) {
    if (!rescale(s, {})) return;
    const size_t first = layers_[s.layers.front()].index;
    const std::string multiplied = insertions.divided(s.value, s.channels, s.factors, first);
    for (size_t i : s.layers) {
      model_.program.operators[layers_[i].index].replace_input(layers_[i].x_slot, s.value, multiplied);
    }
    model_.scalings.push_back(s);
    model_.scalings.back().value = multiplied;
  }

  ScaledModel& model_;
  const std::vector<Layer>& layers_;
  const Activations& activations_;
  const ScalingOptions& options_;
};

}  // namespace

bool ScaledModel::has_products() const {
  return std::any_of(scalings.begin(), scalings.end(), [](const Scaling& s) { return s.by.empty(); });
}

ScaledModel scale(Program program, ParameterMap parameters, const std::vector<Layer>& layers,
                  const Activations& activations, const ScalingOptions& options) {
  ScaledModel model{std::move(program), std::move(parameters), {}};
  Scaler(model, layers, activations, options).run();
  return model;
}

OperandFactors factors_of(const std::vector<Scaling>& scalings) {
  OperandFactors factors;
  for (const Scaling& s : scalings) factors[s.operand] = {s.channels, s.factors};
  return factors;
}

void rename(Activations& activations, const std::vector<Scaling>& scalings) {
  for (const Scaling& s : scalings) {
    const auto found = activations.find(s.operand);
    if (s.by.empty() && found != activations.end()) activations[{s.value, 0}] = std::move(found->second);
  }
}

}  // namespace coracle::internal::quantize
