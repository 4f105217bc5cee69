// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// Result of a comparison: bool, shapes broadcast.
inline void infer_comparison(InferArgs& a) { a.set(0, DType::kBool, broadcast(a.shape(0), a.shape(1))); }

/// out = f(x, y) as bool, compared in double or, for integers, in int64.
template <class F>
void reference_comparison(ReferenceArgs& a, const F& f) {
  bool* out = a.out(0).data<bool>();
  const BroadcastWalk walk(a.out(0).shape(), a.shape(0), a.shape(1));
  const auto compare = [&](const auto& x, const auto& y) {
    walk.each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
      out[i] = f(x[static_cast<size_t>(ix)], y[static_cast<size_t>(iy)]);
    });
  };
  if (is_float(promote(a.in(0).dtype(), a.in(1).dtype()))) {
    compare(a.doubles(0), a.doubles(1));
  } else {
    compare(a.in(0).integers(a.context()), a.in(1).integers(a.context()));
  }
}

/// out = x == y of complex numbers, or its opposite.
inline void reference_complex_equality(ReferenceArgs& a, bool equal) {
  const Tensor x = as_complex_type(a.context(), a.in(0), DType::kComplex128);
  const Tensor y = as_complex_type(a.context(), a.in(1), DType::kComplex128);
  using C = std::complex<double>;
  BroadcastWalk(a.out(0).shape(), x.shape(), y.shape()).each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
    a.out(0).data<bool>()[i] = (x.data<C>()[ix] == y.data<C>()[iy]) == equal;
  });
}

}  // namespace coracle::internal
