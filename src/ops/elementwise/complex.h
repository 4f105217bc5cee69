// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// Complex numbers of two tensors of parts, which broadcast.
struct Complex {
  static constexpr const char* kName = "complex";
  static constexpr const char* kLegacy[] = {"complex"};
  static constexpr Port kInputs[] = {in("real", "X"), in("imag", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Complex&, const Complex&) = default;
};

inline void infer(const Complex&, InferArgs& a) {
  const DType part = promote(a.dtype(0), a.dtype(1));
  require(is_float(part), "the parts are ", part, ", expected a real type");
  a.set(0, complex_type(part), broadcast(a.shape(0), a.shape(1)));
}

inline void reference(const Complex&, ReferenceArgs& a) {
  visit_complex(a.out(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const Tensor x = converted(a.context(), a.in(0), DTypeOf<T>::value);
    const Tensor y = converted(a.context(), a.in(1), DTypeOf<T>::value);
    auto* to = a.out(0).data<std::complex<T>>();
    BroadcastWalk(a.out(0).shape(), x.shape(), y.shape()).each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
      to[i] = {x.data<T>()[ix], y.data<T>()[iy]};
    });
  });
}

inline constexpr const OpSchema* complex_op = &kOpSchema<Complex>;

}  // namespace coracle::internal
