// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// out[i] = f(x[i]); of the parts of complex numbers, f of both if `every`, else f of one of them.
inline void reference_class_of_numbers(ReferenceArgs& a, bool (*f)(double), bool every) {
  const Tensor& x = a.in(0);
  bool* to = a.out(0).data<bool>();
  visit_number(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = x.data<T>();
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        const bool real = f(static_cast<double>(from[i].real()));
        const bool imaginary = f(static_cast<double>(from[i].imag()));
        to[i] = every ? real && imaginary : real || imaginary;
      } else {
        to[i] = f(static_cast<double>(from[i]));
      }
    }
  });
}

}  // namespace coracle::internal
