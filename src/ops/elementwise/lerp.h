// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/binary.h"

namespace coracle::internal {

/// out = x + weight * (y - x)
struct Lerp {
  static constexpr const char* kName = "lerp";
  static constexpr const char* kLegacy[] = {"lerp"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), in("weight", "Weight")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Lerp&, const Lerp&) = default;
};

inline void infer(const Lerp&, InferArgs& a) {
  a.set(0, a.dtype(0), broadcast(broadcast(a.shape(0), a.shape(1)), a.shape(2)));
}

inline void reference(const Lerp&, ReferenceArgs& a) {
  const Tensor& y = a.out(0);
  const Shape& out = y.shape();
  const DType dtype = y.dtype();
  const Tensor start = converted(a.context(), a.in(0), dtype);
  const Tensor end = converted(a.context(), a.in(1), dtype);
  const Tensor weight = converted(a.context(), a.in(2), dtype);
  Buffer<int64_t> weight_at(static_cast<size_t>(out.count()), a.context());
  BroadcastWalk(out, start.shape(), weight.shape()).each(a.context(), [&](int64_t i, int64_t, int64_t w) {
    weight_at[static_cast<size_t>(i)] = w;
  });
  visit_float(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    BroadcastWalk(out, start.shape(), end.shape()).each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
      const double from = static_cast<double>(start.data<T>()[ix]);
      const double w = static_cast<double>(weight.data<T>()[weight_at[static_cast<size_t>(i)]]);
      a.out(0).data<T>()[i] = static_cast<T>(from + w * (static_cast<double>(end.data<T>()[iy]) - from));
    });
  });
}

inline constexpr const OpSchema* lerp_op = &kOpSchema<Lerp>;

}  // namespace coracle::internal
