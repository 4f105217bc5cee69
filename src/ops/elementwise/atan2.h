// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = the angle of the point (y, x): operand 0 over operand 1; integers give float64
struct Atan2 {
  static constexpr const char* kName = "atan2";
  static constexpr const char* kLegacy[] = {"atan2"};
  static constexpr Port kInputs[] = {in("x", "X1"), in("y", "X2")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Atan2&, const Atan2&) = default;
};

inline void infer(const Atan2&, InferArgs& a) {
  const DType dtype = promote(a.dtype(0), a.dtype(1));
  a.set(0, is_float(dtype) ? dtype : DType::kFloat64, broadcast(a.shape(0), a.shape(1)));
}

inline void reference(const Atan2&, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = converted(a.context(), a.in(0), dtype);
  const Tensor y = converted(a.context(), a.in(1), dtype);
  const BroadcastWalk walk(a.out(0).shape(), x.shape(), y.shape());
  visit_float(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    walk.each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
      a.out(0).data<T>()[i] =
          static_cast<T>(std::atan2(static_cast<double>(x.data<T>()[ix]), static_cast<double>(y.data<T>()[iy])));
    });
  });
}

inline constexpr const OpSchema* atan2_op = &kOpSchema<Atan2>;

}  // namespace coracle::internal
