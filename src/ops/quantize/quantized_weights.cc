// SPDX-License-Identifier: Apache-2.0
#include "ops/quantize/quantized_weights.h"

#include <algorithm>
#include <cmath>

namespace coracle::internal {
namespace {

/// Simulated weights are integers of steps up to the rounding of float32, 127 * 2^-23.
constexpr double kMostFraction = 1e-4;

/// The step of which all these are integers up to 127; 0 where there is none.
template <class At>
double step_of(int64_t count, const At& at) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(at(i)));
  if (largest == 0) return 1;
  for (int most = 127; most > 0 && std::isfinite(largest); --most) {
    const double step = largest / most;
    int64_t i = 0;
    while (i < count && std::fabs(at(i) / step - std::nearbyint(at(i) / step)) <= kMostFraction) ++i;
    if (i == count) return step;
  }
  return 0;
}

}  // namespace

std::optional<QuantizedWeights> quantized_weights(const RunContext& context, const Tensor& weights, int axis) {
  QuantizedWeights out{.integers = Tensor::make(context, DType::kInt8, weights.shape()), .scales = {}};
  const int64_t inner = weights.shape().count(axis + 1, weights.shape().rank());
  const int64_t along = weights.shape()[axis];
  const int64_t count = weights.count() / std::max<int64_t>(along, 1);
  const float* from = weights.data<float>();
  auto* to = out.integers.data<int8_t>();
  for (int64_t channel = 0; channel < along; ++channel) {
    const auto place = [&](int64_t i) { return (i / inner * along + channel) * inner + i % inner; };
    const double step = step_of(count, [&](int64_t i) { return static_cast<double>(from[place(i)]); });
    if (step == 0) return std::nullopt;
    for (int64_t i = 0; i < count; ++i) {
      to[place(i)] = static_cast<int8_t>(std::nearbyint(static_cast<double>(from[place(i)]) / step));
    }
    out.scales.push_back(step);
  }
  return out;
}

}  // namespace coracle::internal
