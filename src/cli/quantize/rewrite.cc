// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/rewrite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace coracle::cli {
namespace {

/// Paddle computes with another scale below 1e-30; a channel of zeros may have any.
constexpr float kLeastRange = 1e-20F;

/// A tensor as [outer, channels, inner] for the dimension of its channels.
struct Channels {
  size_t outer = 1;
  size_t count = 1;
  size_t inner = 1;

  Channels(const std::vector<int64_t>& dims, int axis) {
    for (size_t i = 0; i < dims.size(); ++i) {
      (i < static_cast<size_t>(axis)    ? outer
       : i == static_cast<size_t>(axis) ? count
                                        : inner) *= static_cast<size_t>(dims[i]);
    }
  }
  size_t at(size_t o, size_t c, size_t i) const { return (o * count + c) * inner + i; }
};

class Rewrite {
 public:
  Rewrite(Program& program, ParameterMap& parameters) : program_(program), parameters_(parameters) {
    for (const ProgramVariable& v : program.variables) names_.insert(v.name);
  }

  void quantize(const QuantizedLayer& q) {
    const Layer& l = *q.layer;
    std::vector<ProgramOperator>& before = before_[l.index];
    auto [rounded, first] = rounded_.try_emplace(l.x);
    if (first) rounded->second = round_operand(l.x.variable, q.range, before);
    const std::string weights = dequantize_weights(l, *q.weights, before);
    ProgramOperator& o = program_.operators[l.index];
    o.replace_input(l.x_slot, l.x.variable, rounded->second);
    o.replace_input(l.weights_slot, l.weights, weights);
    correct(l.correction, q.weights->mean_errors);
  }

  void finish() {
    std::vector<ProgramOperator> operators;
    for (size_t i = 0; i < program_.operators.size(); ++i) {
      for (ProgramOperator& o : before_[i]) operators.push_back(std::move(o));
      operators.push_back(std::move(program_.operators[i]));
    }
    program_.operators = std::move(operators);
  }

 private:
  std::string fresh(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = wanted + "." + std::to_string(i);
    return name;
  }

  std::string parameter(const std::string& wanted, Parameter value) {
    std::string name = fresh(wanted);
    program_.variables.push_back(dense_variable(name, static_cast<VarDtype>(value.dtype), value.dims, true));
    parameters_[name] = std::move(value);
    return name;
  }

  /// What Paddle asks for beside a scale and does not read.
  std::string zero_point(size_t count) {
    std::string& name = zero_points_[count];
    if (name.empty()) {
      name =
          parameter("quantization.zero_point." + std::to_string(count), {static_cast<int64_t>(VarDtype::kInt32),
                                                                         {static_cast<int64_t>(count)},
                                                                         std::string(count * sizeof(int32_t), '\0')});
    }
    return name;
  }

  std::string round_operand(const std::string& x, double range, std::vector<ProgramOperator>& before) {
    const std::string scale =
        parameter(x + ".quantization_scale", float_parameter({1}, {std::max(static_cast<float>(range), kLeastRange)}));
    const std::vector<int64_t> dims = program_.find(x)->dims;
    const std::string integers = fresh(x + ".quantized");
    std::string rounded = fresh(x + ".dequantized");
    for (const std::string& name : {integers, rounded}) {
      program_.variables.push_back(dense_variable(name, VarDtype::kFloat32, dims, false));
    }
    before.push_back(linear_rounding("quantize_linear", x, scale, zero_point(1), integers, -1));
    before.push_back(linear_rounding("dequantize_linear", integers, scale, zero_point(1), rounded, -1));
    return rounded;
  }

  std::string dequantize_weights(const Layer& l, const IntegerWeights& w, std::vector<ProgramOperator>& before) {
    const auto count = static_cast<int64_t>(w.ranges.size());
    const std::string scale = parameter(l.weights + ".quantization_scale", float_parameter({count}, w.ranges));
    Parameter& stored = parameters_[l.weights];
    stored.dtype = static_cast<int64_t>(VarDtype::kInt8);
    stored.content = w.integers;
    for (ProgramVariable& v : program_.variables) {
      if (v.name == l.weights) v = dense_variable(l.weights, VarDtype::kInt8, stored.dims, true);
    }
    std::string floats = fresh(l.weights + ".dequantized");
    program_.variables.push_back(dense_variable(floats, VarDtype::kFloat32, stored.dims, false));
    before.push_back(
        linear_rounding("dequantize_linear", l.weights, scale, zero_point(w.ranges.size()), floats, l.axis));
    return floats;
  }

  void correct(const Correction& correction, const std::vector<double>& errors) {
    if (correction.parameter.empty() || errors.empty()) return;
    Parameter& p = parameters_[correction.parameter];
    std::vector<float> values = floats_of(p);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(values[i] + correction.sign * errors[i]);
    }
    p = float_parameter(p.dims, values);
  }

  Program& program_;
  ParameterMap& parameters_;
  std::set<std::string> names_;
  std::map<size_t, std::vector<ProgramOperator>> before_;
  std::map<WrittenValue, std::string> rounded_;
  std::map<size_t, std::string> zero_points_;
};

/// Sums of what rounding changes in weights, times the means of what they are multiplied with.
std::vector<double> mean_errors(const Layer& l, const std::vector<int64_t>& dims, const std::vector<double>& errors,
                                const std::vector<double>& means) {
  const Channels c(dims, l.axis);
  std::vector<double> sums(c.count);
  const bool product = dims.size() == 2;
  const size_t channels =
      product ? static_cast<size_t>(dims[l.axis == 0 ? 1 : 0])
              : (l.multiplier != 0 ? c.count / static_cast<size_t>(l.multiplier) : static_cast<size_t>(dims[1]));
  if (means.size() != channels) return {};
  const size_t taps = product ? 1 : static_cast<size_t>(dims[2] * dims[3]);
  for (size_t o = 0; o < c.outer; ++o) {
    for (size_t k = 0; k < c.count; ++k) {
      for (size_t i = 0; i < c.inner; ++i) {
        const size_t channel =
            product ? o * c.inner + i : (l.multiplier != 0 ? k / static_cast<size_t>(l.multiplier) : i / taps);
        sums[k] += errors[c.at(o, k, i)] * means[channel];
      }
    }
  }
  return sums;
}

}  // namespace

IntegerWeights integer_weights(const Layer& layer, const Parameter& weights, const std::vector<double>& means) {
  const std::vector<float> values = floats_of(weights);
  const Channels c(weights.dims, layer.axis);
  IntegerWeights w{std::string(values.size(), '\0'), std::vector<float>(c.count, kLeastRange), {}, 0};
  std::vector<double> errors(values.size());
  double signal = 0;
  double noise = 0;
  for (size_t o = 0; o < c.outer; ++o) {
    for (size_t k = 0; k < c.count; ++k) {
      for (size_t i = 0; i < c.inner; ++i) w.ranges[k] = std::max(w.ranges[k], std::fabs(values[c.at(o, k, i)]));
    }
  }
  for (size_t o = 0; o < c.outer; ++o) {
    for (size_t k = 0; k < c.count; ++k) {
      const double step = static_cast<double>(w.ranges[k]) / kMostSteps;
      for (size_t i = 0; i < c.inner; ++i) {
        const size_t at = c.at(o, k, i);
        const double integer = std::clamp(std::nearbyint(values[at] / step), -127.0, 127.0);
        w.integers[at] = static_cast<char>(static_cast<int8_t>(integer));
        errors[at] = integer * step - values[at];
        signal += static_cast<double>(values[at]) * values[at];
        noise += errors[at] * errors[at];
      }
    }
  }
  w.noise_ratio = noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  if (!means.empty()) w.mean_errors = mean_errors(layer, weights.dims, errors, means);
  return w;
}

ModelBytes rewritten(Program program, ParameterMap parameters, const std::vector<QuantizedLayer>& layers) {
  Rewrite rewrite(program, parameters);
  for (const QuantizedLayer& q : layers) rewrite.quantize(q);
  rewrite.finish();
  return {bytes_of(program), bytes_of(parameters)};
}

}  // namespace coracle::cli
