// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/common/lines.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// Cross products along an axis of size 3; axis 9 means the first such one.
struct Cross {
  static constexpr const char* kName = "cross";
  static constexpr const char* kLegacy[] = {"cross"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t axis = 9;
  void attributes(AttributeVisitor& visit) { visit("axis", axis, "dim"); }
  friend bool operator==(const Cross&, const Cross&) = default;
};

/// The axis that `axis` means for x, whose shape is known.
inline int64_t cross_axis(const Shape& x, int64_t axis) {
  if (axis != 9) return normalize_axis(axis, x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    if (x[i] == 3) return i;
  }
  fail(ErrorCode::kInvalidModel, "x ", x, " has no axis of size 3");
}

inline void infer(const Cross& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(compatible(x, a.shape(1)), "x ", x, " and y ", a.shape(1), " have different shapes");
  if (x.known()) {
    const int64_t axis = cross_axis(x, op.axis);
    require(x[static_cast<int>(axis)] == 3, "axis ", axis, " of x ", x, " has not size 3");
  }
  a.set(0, promote(a.dtype(0), a.dtype(1)), x);
}

inline void reference(const Cross& op, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = converted(a.context(), a.in(0), dtype);
  const Tensor y = converted(a.context(), a.in(1), dtype);
  const Lines lines(x.shape(), cross_axis(x.shape(), op.axis));
  visit_real(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    lines.each(a.context(), [&](int64_t first) {
      const T* u = x.data<T>() + first;
      const T* v = y.data<T>() + first;
      T* to = a.out(0).data<T>() + first;
      for (int64_t k = 0; k < 3; ++k) {
        const int64_t i = (k + 1) % 3 * lines.inner;
        const int64_t j = (k + 2) % 3 * lines.inner;
        to[k * lines.inner] = wrapped_difference(wrapped_product(u[i], v[j]), wrapped_product(u[j], v[i]));
      }
    });
  });
}

inline constexpr const OpSchema* cross_op = &kOpSchema<Cross>;

}  // namespace coracle::internal
