// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/binary.h"

namespace coracle {

/// out = x with the sign of y; integers give float32
struct Copysign : BinaryOperator {
  static constexpr const char* kName = "copysign";
  static constexpr const char* kLegacy[] = {"copysign"};
  friend bool operator==(const Copysign&, const Copysign&) = default;
};

inline void infer(const Copysign&, InferArgs& a) {
  const DType dtype = promote(a.dtype(0), a.dtype(1));
  a.set(0, is_float(dtype) ? dtype : DType::kFloat32, broadcast(a.shape(0), a.shape(1)));
}

inline void reference(const Copysign&, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = converted(a.in(0), dtype);
  const Tensor y = converted(a.in(1), dtype);
  const BroadcastWalk walk(a.out(0).shape(), x.shape(), y.shape());
  visit_float(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    walk.each([&](int64_t i, int64_t ix, int64_t iy) {
      a.out(0).data<T>()[i] =
          static_cast<T>(std::copysign(static_cast<double>(x.data<T>()[ix]), static_cast<double>(y.data<T>()[iy])));
    });
  });
}

inline constexpr const OpRow* copysign_op = &kOpRow<Copysign>;

}  // namespace coracle
