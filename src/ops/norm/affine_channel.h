// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/data_format.h"
#include "ops/norm/normalization.h"

namespace coracle::internal {

/// x * scale + bias per channel.
struct AffineChannel {
  static constexpr const char* kName = "affine_channel";
  static constexpr const char* kLegacy[] = {"affine_channel"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("scale", "Scale"), weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  DataFormat data_format = DataFormat::kAnyLayout;
  void attributes(AttributeVisitor& visit) { visit("data_layout", data_format); }
  friend bool operator==(const AffineChannel&, const AffineChannel&) = default;
};

inline void infer(const AffineChannel& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  if (!x.rank_known()) return;
  require(x.rank() >= 2, "x ", x, " has ", x.rank(), " dimensions, expected at least 2");
  check_channels(a, 1, x[channel_axis(op.data_format, x.rank())], "scale");
  check_channels(a, 2, x[channel_axis(op.data_format, x.rank())], "bias");
}

inline void reference(const AffineChannel& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int axis = channel_axis(op.data_format, s.rank());
  const int64_t inner = s.count(axis + 1, s.rank());
  const Floats scale = numbers_or(a, 1, s[axis], 1);
  const Floats bias = numbers_or(a, 2, s[axis], 0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = s.count(); i < n; ++i) {
      const auto c = static_cast<size_t>(i / inner % s[axis]);
      a.out(0).data<T>()[i] = static_cast<T>(static_cast<double>(a.in(0).data<T>()[i]) * scale[c] + bias[c]);
    }
  });
}

inline constexpr const OpSchema* affine_channel_op = &kOpSchema<AffineChannel>;

}  // namespace coracle::internal
