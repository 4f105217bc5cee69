// SPDX-License-Identifier: Apache-2.0
#include "quantize/rewrite.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "base/half.h"
#include "quantize/insertions.h"
#include "quantize/range.h"

namespace coracle::internal::quantize {
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

/// Takes the mean errors of a layer's result back.
void correct(ParameterMap& parameters, const Correction& correction, const std::vector<double>& errors) {
  if (correction.parameter.empty() || errors.empty()) return;
  Parameter& p = parameters[correction.parameter];
  std::vector<float> values = floats_of(p);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(values[i] + correction.factor * errors[i]);
  p = float_parameter(p.dims, values);
}

/// Sums of what rounding changes in weights, times the means of what they are multiplied with.
std::vector<double> mean_errors(const Layer& l, const std::vector<int64_t>& dims, const std::vector<double>& errors,
                                const std::vector<double>& means) {
  if (!l.means) return {};
  const Channels c(dims, l.axis);
  std::vector<double> sums(c.count);
  const bool product = dims.size() == 2;
  const size_t of_group = product ? 0 : static_cast<size_t>(dims[1]);
  const size_t channels =
      product ? static_cast<size_t>(dims[l.axis == 0 ? 1 : 0]) : of_group * static_cast<size_t>(l.groups);
  if (means.size() != channels) return {};
  const size_t taps = product ? 1 : static_cast<size_t>(dims[2] * dims[3]);
  const size_t per_group = c.count / static_cast<size_t>(l.groups);
  for (size_t o = 0; o < c.outer; ++o) {
    for (size_t k = 0; k < c.count; ++k) {
      for (size_t i = 0; i < c.inner; ++i) {
        const size_t channel = product ? o * c.inner + i : k / per_group * of_group + i / taps;
        sums[k] += errors[c.at(o, k, i)] * means[channel];
      }
    }
  }
  return sums;
}

std::string weights_of(Insertions& insertions, const Layer& l, const StoredWeights& w) {
  switch (w.dtype) {
    case DType::kInt8: return insertions.from_integers(l.weights, w.content, w.ranges, l.axis, l.index);
    case DType::kUint8:
      return insertions.from_halves_of_bytes(l.weights, w.content, w.ranges, w.group, l.axis, l.index);
    default: return insertions.from_half(l.weights, w.content, l.index);
  }
}

}  // namespace

double decibels_of(double signal, double noise) {
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

StoredWeights integer_weights(const Layer& layer, const Parameter& weights, const std::vector<double>& means,
                              int most) {
  const std::vector<float> values = floats_of(weights);
  const Channels c(weights.dims, layer.axis);
  StoredWeights w{DType::kInt8, std::string(values.size(), '\0'), std::vector<float>(c.count, kLeastRange), {}, 0};
  std::vector<double> errors(values.size());
  double signal = 0;
  double noise = 0;
  for (size_t o = 0; o < c.outer; ++o) {
    for (size_t k = 0; k < c.count; ++k) {
      for (size_t i = 0; i < c.inner; ++i) w.ranges[k] = std::max(w.ranges[k], std::fabs(values[c.at(o, k, i)]));
    }
  }
  // What 127 would stand for.
  for (float& range : w.ranges) range *= static_cast<float>(kMostSteps) / static_cast<float>(most);
  for (size_t o = 0; o < c.outer; ++o) {
    for (size_t k = 0; k < c.count; ++k) {
      const double step = static_cast<double>(w.ranges[k]) / kMostSteps;
      for (size_t i = 0; i < c.inner; ++i) {
        const size_t at = c.at(o, k, i);
        const double integer = std::clamp<double>(std::nearbyint(values[at] / step), -most, most);
        w.content[at] = static_cast<char>(static_cast<int8_t>(integer));
        errors[at] = integer * step - values[at];
        signal += static_cast<double>(values[at]) * values[at];
        noise += errors[at] * errors[at];
      }
    }
  }
  w.noise_ratio = decibels_of(signal, noise);
  if (!means.empty()) w.mean_errors = mean_errors(layer, weights.dims, errors, means);
  return w;
}

StoredWeights half_weights(const Parameter& weights) {
  const std::vector<float> values = floats_of(weights);
  StoredWeights w{DType::kFloat16, std::string(values.size() * sizeof(uint16_t), '\0'), {}, {}, 0};
  double signal = 0;
  double noise = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Float16 half(values[i]);
    std::memcpy(&w.content[i * sizeof(uint16_t)], &half.bits, sizeof(uint16_t));
    const double error = static_cast<double>(static_cast<float>(half)) - values[i];
    signal += static_cast<double>(values[i]) * values[i];
    noise += error * error;
  }
  w.noise_ratio = decibels_of(signal, noise);
  return w;
}

ModelBytes rewritten(Program program, ParameterMap parameters, const std::vector<QuantizedLayer>& layers,
                     const std::vector<Residual>& residuals) {
  struct RoundedValue {
    std::string variable;
    size_t index = 0;  ///< of the operator in front of which it is rounded
  };
  Insertions insertions(program, parameters);
  std::map<WrittenValue, RoundedValue> rounded;
  for (const QuantizedLayer& q : layers) {
    const Layer& l = *q.layer;
    ProgramOperator& o = program.operators[l.index];
    if (q.range) {
      auto [operand, first] = rounded.try_emplace(l.x);
      const double range = std::max(*q.range, static_cast<double>(kLeastRange));
      if (first) operand->second = {insertions.rounded(l.x.variable, range, l.index), l.index};
      o.replace_input(l.x_slot, l.x.variable, operand->second.variable);
    }
    const StoredWeights& w = *q.weights;
    o.replace_input(l.weights_slot, l.weights, weights_of(insertions, l, w));
    correct(parameters, l.correction, w.mean_errors);
  }
  for (const Residual& r : residuals) {
    const auto operand = rounded.find(r.x);
    if (operand == rounded.end() || operand->second.index > r.index) continue;
    program.operators[r.index].replace_input(r.slot, r.x.variable, operand->second.variable);
  }
  insertions.finish();
  return {bytes_of(program), bytes_of(parameters)};
}

}  // namespace coracle::internal::quantize
