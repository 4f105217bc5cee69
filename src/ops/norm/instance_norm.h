// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/norm/normalization.h"

namespace coracle::internal {

/// (x - mean) / sqrt(variance + epsilon) * scale + bias with mean and variance of each channel of each sample.
struct InstanceNorm {
  static constexpr const char* kName = "instance_norm";
  static constexpr const char* kLegacy[] = {"instance_norm"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_weight_in("scale", "Scale"),
                                     optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("y", "Y"), optional_out("saved_mean", "SavedMean"),
                                      optional_out("saved_variance", "SavedVariance")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double epsilon = 1e-5;
  void attributes(AttributeVisitor& visit) { visit("epsilon", epsilon); }
  friend bool operator==(const InstanceNorm&, const InstanceNorm&) = default;
};

inline void infer(const InstanceNorm&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  Shape planes{Shape::kUnknown};
  if (x.rank_known()) {
    require(x.rank() >= 2 && x.rank() <= 5, "x ", x, " has ", x.rank(), " dimensions, expected 2 to 5");
    check_channels(a, 1, x[1], "scale");
    check_channels(a, 2, x[1], "bias");
    if (x[0] >= 0 && x[1] >= 0) planes[0] = checked_multiply(x[0], x[1]);
  }
  a.set(1, DType::kFloat32, planes);
  a.set(2, DType::kFloat32, planes);
}

inline void reference(const InstanceNorm& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t inner = s.count(2, s.rank());
  const Floats scale = numbers_or(a, 1, s[1], 1);
  const Floats bias = numbers_or(a, 2, s[1], 0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t plane = 0; plane < s[0] * s[1]; ++plane) {
      const T* from = a.in(0).data<T>() + plane * inner;
      T* to = a.out(0).data<T>() + plane * inner;
      const Moments m = moments_of(from, inner);
      const double inverse = 1.0 / std::sqrt(m.variance + op.epsilon);
      const auto c = static_cast<size_t>(plane % s[1]);
      for (int64_t i = 0; i < inner; ++i) {
        to[i] = static_cast<T>((static_cast<double>(from[i]) - m.mean) * inverse * scale[c] + bias[c]);
      }
      if (a.wants(1)) a.out(1).data<float>()[plane] = static_cast<float>(m.mean);
      if (a.wants(2)) a.out(2).data<float>()[plane] = static_cast<float>(inverse);
    }
  });
}

inline constexpr const OpSchema* instance_norm_op = &kOpSchema<InstanceNorm>;

}  // namespace coracle::internal
