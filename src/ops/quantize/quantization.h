// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/long_loop.h"
#include "ops/movement/movement.h"
#include "ops/norm/normalization.h"

namespace coracle::internal {

/// How quantised values are rounded.
enum class QuantizationRounding : uint8_t {
  kHalfToEven,        ///< then clipped to [-limit - 1, limit]
  kHalfAwayFromZero,  ///< of what was clipped to [-scale, scale] before
};
inline std::span<const std::string_view> names_of(QuantizationRounding) {
  static constexpr std::string_view kNames[] = {"half_to_even", "half_away_from_zero"};
  return kNames;
}

/// The largest quantised value of `bits`: 127 for 8.
inline float quantization_limit(int bits) {
  require(bits >= 2 && bits <= 24, "bit_length is ", bits, ", expected 2 to 24");
  return static_cast<float>((1 << (bits - 1)) - 1);
}

/// x in steps of scale / limit, as an integer in a float. Computed in float, as models were calibrated.
inline float quantized(float x, float scale, float limit, QuantizationRounding rounding) {
  const float inverse = scale <= 1e-30F ? 1.0F / (scale + 1e-6F) : 1.0F / scale;
  if (rounding == QuantizationRounding::kHalfAwayFromZero) {
    const float inside = std::min(std::max(x, -scale), scale);
    return std::round(limit * inverse * inside);
  }
  return std::min(std::max(std::nearbyint(x * limit * inverse), -limit - 1), limit);
}

/// Which scale an element takes: element i has scale i / inner % count.
struct ScaleIndex {
  int64_t inner = 1;
  int64_t count = 1;
  int64_t operator()(int64_t i) const { return i / inner % count; }
};

/// Scales along `axis`; one for the whole tensor where it is negative.
inline ScaleIndex scale_index(const Shape& x, int axis) {
  if (axis < 0 || x.count() == 0) return {};
  return {x.count(axis + 1, x.rank()), x[axis]};
}

/// Checks that `port` has the scales that quant_axis asks for.
inline void check_scales(const InferArgs& a, int port, int axis, std::string_view name) {
  const Shape& x = a.shape(0);
  if (!x.rank_known()) return;
  require(axis < x.rank(), "quant_axis is ", axis, ", but x has ", x.rank(), " dimensions");
  check_channels(a, port, axis < 0 ? 1 : x[axis], name);
}

/// The largest absolute value of x for each scale.
inline std::vector<float> largest_absolute(const Tensor& x, const ScaleIndex& index) {
  std::vector<float> largest(static_cast<size_t>(index.count), 0.0F);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      float& to = largest[static_cast<size_t>(index(i))];
      to = std::max(to, std::fabs(static_cast<float>(x.data<T>()[i])));
    }
  });
  return largest;
}

/// The elements of a scale operand.
inline std::vector<float> scales_of(const RunContext& context, const Tensor& t) {
  std::vector<float> out;
  LoopCheck check(context);
  for (int64_t i = 0; i < t.count(); ++i) {
    check.step();
    out.push_back(static_cast<float>(t.number(i)));
  }
  return out;
}

/// y = quantised x, brought back to x's range where `restore` is set.
inline void quantize_tensor(const Tensor& x, const std::vector<float>& scales, const ScaleIndex& index, int bits,
                            QuantizationRounding rounding, bool restore, Tensor& y) {
  const float limit = quantization_limit(bits);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      const float scale = scales[static_cast<size_t>(index(i))];
      const float q = quantized(static_cast<float>(x.data<T>()[i]), scale, limit, rounding);
      y.data<T>()[i] = static_cast<T>(restore ? q * scale / limit : q);
    }
  });
}

/// y = x * scale / range in y's type; x may be of any real or integer type.
inline void dequantize_tensor(const Tensor& x, const std::vector<float>& scales, const ScaleIndex& index, float range,
                              Tensor& y) {
  visit_real(x.dtype(), [&](auto* p) {
    using From = std::remove_pointer_t<decltype(p)>;
    visit_float(y.dtype(), [&](auto* q) {
      using To = std::remove_pointer_t<decltype(q)>;
      for (int64_t i = 0, n = x.count(); i < n; ++i) {
        const float scale = scales[static_cast<size_t>(index(i))];
        y.data<To>()[i] = static_cast<To>(static_cast<float>(x.data<From>()[i]) * scale / range);
      }
    });
  });
}

inline void store_scales(const std::vector<float>& scales, Tensor& to) {
  visit_float(to.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const size_t count = std::min(scales.size(), static_cast<size_t>(to.count()));
    for (size_t i = 0; i < count; ++i) to.data<T>()[i] = static_cast<T>(scales[i]);
  });
}

/// Results 1 to 3 of quantize_linear and its inverse are the training state, unchanged: operands 4, 3 and 1, or one
/// number where there is none.
inline constexpr int kQuantizationState[] = {0, 4, 3, 1};
inline void infer_quantization_state(InferArgs& a) {
  for (int port = 1; port <= 3; ++port) {
    const int from = kQuantizationState[port];
    if (a.has(from)) {
      a.set(port, a.dtype(from), a.shape(from));
    } else {
      a.set(port, DType::kFloat32, Shape{1});
    }
  }
}
inline void copy_quantization_state(ReferenceArgs& a) {
  for (int port = 1; port <= 3; ++port) {
    if (!a.wants(port)) continue;
    const int from = kQuantizationState[port];
    if (a.has(from)) {
      copy_tensor(a.context(), a.in(from), a.out(port));
    } else {
      a.out(port).data<float>()[0] = 1;
    }
  }
}

}  // namespace coracle::internal
