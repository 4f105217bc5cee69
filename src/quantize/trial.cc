// SPDX-License-Identifier: Apache-2.0
#include "quantize/trial.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

#include "quantize/four_bits.h"

namespace coracle::internal::quantize {
namespace {

StoredWeights stored_weights(const Layer& layer, const Parameter& weights, Precision precision) {
  if (precision == Precision::kHalfWeights) return half_weights(weights);
  std::optional<StoredWeights> halves;
  if (precision == Precision::kFourBitWeights) halves = four_bit_weights(layer, weights);
  return halves ? std::move(*halves) : integer_weights(layer, weights, {}, kMostSteps);
}

}  // namespace

Trial::Trial(Program program, ParameterMap parameters, std::vector<Layer> layers, const Activations& activations,
             const Options& options)
    : program_(std::move(program)), parameters_(std::move(parameters)), layers_(std::move(layers)) {
  std::map<WrittenValue, decltype(Candidate::ranges)> ranges;
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& l = layers_[i];
    if (!l.kept.empty()) continue;
    if (!l.rounds_operand) {
      candidates_.push_back(
          {i, RangeMethod::kMinMax, {}, nullptr, integer_weights(l, parameters_.at(l.weights), {}, kMostSteps)});
      continue;
    }
    const auto found = activations.find(l.seen);
    if (found == activations.end()) {
      l.kept = "no run computed its operand";
      continue;
    }
    const Activation& a = found->second;
    if (a.counts.unfit() != 0) {
      l.kept = "its operand has values that are no finite numbers";
      continue;
    }
    const auto [of_operand, first] = ranges.try_emplace(l.seen);
    for (const RangeMethod method : kRangeMethods) {
      if (first) of_operand->second[static_cast<size_t>(method)] = a.counts.range(method, options.percentile);
    }
    const std::vector<double> means =
        options.bias_correction && l.seen == l.x ? a.means(l.x_channels) : std::vector<double>();
    candidates_.push_back(
        {i, RangeMethod::kMinMax, of_operand->second, &a.counts,
         integer_weights(l, parameters_.at(l.weights), means, options.reduce_range ? kReducedSteps : kMostSteps)});
  }
  residuals_ = find_residuals(program_, parameters_, layers_);
}

Trial::Trial(Program program, ParameterMap parameters, std::vector<Layer> layers, Precision precision)
    : program_(std::move(program)), parameters_(std::move(parameters)), layers_(std::move(layers)) {
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (!layers_[i].kept.empty()) continue;
    candidates_.push_back({i,
                           RangeMethod::kMinMax,
                           {},
                           nullptr,
                           stored_weights(layers_[i], parameters_.at(layers_[i].weights), precision)});
  }
}

std::vector<size_t> Trial::all() const {
  std::vector<size_t> numbers(count());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

std::vector<std::string> Trial::names() const {
  std::vector<std::string> names;
  for (const Candidate& c : candidates_) names.push_back(layers_[c.layer].name);
  return names;
}

std::vector<std::vector<size_t>> Trial::operands() const {
  std::map<WrittenValue, std::vector<size_t>> layers;
  for (size_t i = 0; i < count(); ++i) {
    if (candidates_[i].counts != nullptr) layers[layers_[candidates_[i].layer].x].push_back(i);
  }
  std::vector<std::vector<size_t>> operands;
  for (auto& [value, numbers] : layers) operands.push_back(std::move(numbers));
  return operands;
}

void Trial::use(const std::vector<size_t>& layers, RangeMethod method) {
  for (size_t i : layers) candidates_[i].method = method;
}

std::vector<Residual> Trial::residuals_of(const std::vector<size_t>& quantized) const {
  std::set<WrittenValue> rounded;
  std::set<size_t> layers;
  for (size_t i : quantized) {
    const Candidate& c = candidates_[i];
    layers.insert(c.layer);
    if (c.counts != nullptr) rounded.insert(layers_[c.layer].x);
  }
  std::vector<Residual> found;
  std::copy_if(residuals_.begin(), residuals_.end(), std::back_inserter(found),
               [&](const Residual& r) { return rounded.count(r.x) != 0 && layers.count(r.layer) != 0; });
  return found;
}

ModelBytes Trial::model(const std::vector<size_t>& quantized) const {
  std::vector<QuantizedLayer> chosen;
  for (size_t i : quantized) {
    const Candidate& c = candidates_[i];
    const std::optional<double> range = c.counts == nullptr ? std::nullopt : std::optional(c.range());
    chosen.push_back({&layers_[c.layer], range, &c.weights});
  }
  return rewritten(program_, parameters_, chosen,
                   rounds_residuals_ ? residuals_of(quantized) : std::vector<Residual>());
}

std::vector<LayerReport> Trial::layers(const std::vector<size_t>& quantized) const {
  std::vector<LayerReport> reports;
  for (const Layer& l : layers_) reports.push_back({l.name, l.type, l.weights, {}, l.kept});
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& c = candidates_[i];
    LayerReport& r = reports[c.layer];
    r.tried = true;
    if (c.counts != nullptr) {
      r.method = text_of(c.method);
      r.range = c.range();
      r.operand_ratio = c.counts->noise_ratio(c.range());
      r.counts = c.counts;
    }
    r.weights_ratio = c.weights.noise_ratio;
    r.stored = c.weights.dtype == DType::kFloat16 ? "float16" : c.weights.dtype == DType::kUint8 ? "int4" : "int8";
    const bool stays = std::find(quantized.begin(), quantized.end(), i) == quantized.end();
    if (stays) r.kept = "with it the answers are too far away";
  }
  return reports;
}

size_t Trial::parameter_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, p] : parameters_) bytes += p.content.size();
  return bytes;
}

void choose_methods(Trial& trial, const Answers& original, const std::function<void(size_t, size_t)>& tell) {
  const std::vector<std::vector<size_t>> operands = trial.operands();
  std::vector<RangeMethod> chosen;
  const auto nearest = [&](const std::vector<size_t>& layers) {
    std::pair<RangeMethod, double> best(RangeMethod::kMinMax, -std::numeric_limits<double>::infinity());
    for (const RangeMethod method : kRangeMethods) {
      trial.use(layers, method);
      const double ratio = worst_ratio(original.compare(trial.model(layers), original.sets()));
      if (ratio > best.second) best = {method, ratio};
    }
    return best;
  };
  for (const std::vector<size_t>& layers : operands) {
    chosen.push_back(nearest(layers).first);
    tell(chosen.size(), operands.size());
  }
  const auto [same, ratio_of_same] = nearest(trial.all());
  for (size_t i = 0; i < operands.size(); ++i) trial.use(operands[i], chosen[i]);
  if (worst_ratio(original.compare(trial.model(trial.all()), original.sets())) < ratio_of_same) {
    trial.use(trial.all(), same);
  }
}

bool near_enough(const Options& options, const std::vector<OutputAccuracy>& outputs) {
  const ErrorMetric metric = error_metric(options.error_metric);
  return std::all_of(outputs.begin(), outputs.end(), [&](const OutputAccuracy& o) {
    return (!options.max_drop || o.drop() <= *options.max_drop) &&
           (!options.min_snr || o.noise_ratio() >= *options.min_snr) &&
           (!options.max_error || o.error(metric) <= *options.max_error);
  });
}

Decision decide(const Trial& trial, const Answers& original, const Options& options,
                const std::function<void(size_t, size_t)>& tell) {
  Decision all;
  all.quantized = trial.all();
  all.accuracy = original.compare(trial.model(all.quantized), original.sets());
  if (near_enough(options, all.accuracy)) return all;

  std::vector<double> ratios;
  for (size_t i = 0; i < trial.count(); ++i) {
    ratios.push_back(worst_ratio(original.compare(trial.model({i}), 1)));
    tell(i + 1, trial.count());
  }
  std::vector<size_t> order = all.quantized;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ratios[a] < ratios[b]; });
  const auto without = [&](size_t kept) {
    Decision d;
    d.quantized.assign(order.begin() + static_cast<std::ptrdiff_t>(kept), order.end());
    std::sort(d.quantized.begin(), d.quantized.end());
    d.accuracy = original.compare(trial.model(d.quantized), original.sets());
    return d;
  };
  // With `low` layers kept answers are too far away, with `high` they are not: with all of them it is the original.
  size_t low = 0;
  size_t high = trial.count();
  Decision best = without(high);
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    Decision d = without(middle);
    if (near_enough(options, d.accuracy)) {
      high = middle;
      best = std::move(d);
    } else {
      low = middle;
    }
  }
  return best;
}

}  // namespace coracle::internal::quantize
