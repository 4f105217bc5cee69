// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/data_format.h"
#include "ops/norm/normalization.h"

namespace coracle::internal {

/// (x - mean) / sqrt(variance + epsilon) * scale + bias with mean and variance of each group of channels of each
/// sample.
struct GroupNorm {
  static constexpr const char* kName = "group_norm";
  static constexpr const char* kLegacy[] = {"group_norm"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_weight_in("scale", "Scale"),
                                     optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("y", "Y"), optional_out("mean", "Mean"),
                                      optional_out("variance", "Variance")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double epsilon = 1e-5;
  int groups = -1;
  DataFormat data_format = DataFormat::kNchw;
  void attributes(AttributeVisitor& visit) {
    visit("epsilon", epsilon);
    visit("groups", groups);
    visit("data_format", data_format, "data_layout");
  }
  friend bool operator==(const GroupNorm&, const GroupNorm&) = default;
};

inline void infer(const GroupNorm& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  require(op.groups > 0, "groups is ", op.groups, ", expected a positive number");
  Shape planes{Shape::kUnknown, op.groups};
  if (x.rank_known()) {
    require(x.rank() >= 2, "x ", x, " has ", x.rank(), " dimensions, expected at least 2");
    const int64_t channels = x[channel_axis(op.data_format, x.rank())];
    require(channels < 0 || channels % op.groups == 0, "x ", x, " does not divide into ", op.groups, " groups");
    check_channels(a, 1, channels, "scale");
    check_channels(a, 2, channels, "bias");
    planes[0] = x[0];
  }
  a.set(1, DType::kFloat32, planes);
  a.set(2, DType::kFloat32, planes);
}

inline void reference(const GroupNorm& op, ReferenceArgs& a) {
  const Tensor x = to_channels_first(a.context(), a.in(0), op.data_format);
  Tensor y = channels_first_like(a.context(), a.out(0), op.data_format);
  const Shape& s = x.shape();
  const int64_t inner = s.count(2, s.rank());
  const int64_t n = s[1] / op.groups * inner;
  const Floats scale = numbers_or(a, 1, s[1], 1);
  const Floats bias = numbers_or(a, 2, s[1], 0);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t plane = 0; plane < s[0] * op.groups; ++plane) {
      const T* from = x.data<T>() + plane * n;
      T* to = y.data<T>() + plane * n;
      const Moments m = moments_of(from, n);
      const double inverse = 1.0 / std::sqrt(m.variance + op.epsilon);
      for (int64_t i = 0; i < n; ++i) {
        const auto c = static_cast<size_t>((plane * n + i) / inner % s[1]);
        to[i] = static_cast<T>((static_cast<double>(from[i]) - m.mean) * inverse * scale[c] + bias[c]);
      }
      if (a.wants(1)) a.out(1).data<float>()[plane] = static_cast<float>(m.mean);
      if (a.wants(2)) a.out(2).data<float>()[plane] = static_cast<float>(m.variance);
    }
  });
  store_channels_first(y, op.data_format, a.out(0));
}

inline constexpr const OpSchema* group_norm_op = &kOpSchema<GroupNorm>;

}  // namespace coracle::internal
