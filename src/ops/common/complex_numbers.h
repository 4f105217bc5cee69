// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "ops/common/binary.h"

namespace coracle::internal {

/// The type of the parts of a complex number; a real type is its own.
inline DType part_type(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  if (dtype == DType::kComplex128) return DType::kFloat64;
  return dtype;
}

/// The complex type of parts of a type.
inline DType complex_type(DType part) { return part == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64; }

/// Calls f with a null pointer of the part type of a complex type.
template <class F>
void visit_complex(DType dtype, const F& f) {
  if (dtype == DType::kComplex64) return f(static_cast<float*>(nullptr));
  require(dtype == DType::kComplex128, ErrorCode::kUnsupported, "element type ", dtype,
          " is not supported here, expected ", "a complex type");
  f(static_cast<double*>(nullptr));
}

/// Calls f with a null pointer of an element type, real or complex.
template <class F>
void visit_number(DType dtype, const F& f) {
  if (!is_complex(dtype)) return visit_real(dtype, f);
  visit_complex(dtype, [&](auto* p) { f(static_cast<std::complex<std::remove_pointer_t<decltype(p)>>*>(nullptr)); });
}

/// What sums and products of numbers of a type are computed in; integers wrap.
template <class T>
struct AccumulatorOf {
  using type = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
};
template <class T>
struct AccumulatorOf<std::complex<T>> {
  using type = std::complex<double>;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

/// A real or complex tensor as one of a complex type.
inline Tensor as_complex_type(const RunContext& context, const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  Tensor out = Tensor::make(context, dtype, t.shape());
  visit_complex(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    auto* to = out.data<std::complex<T>>();
    if (is_complex(t.dtype())) {
      visit_complex(t.dtype(), [&](auto* q) {
        using From = std::complex<std::remove_pointer_t<decltype(q)>>;
        for (int64_t i = 0, n = t.count(); i < n; ++i) to[i] = std::complex<T>(t.data<From>()[i]);
      });
    } else {
      const Tensor real = converted(context, t, DTypeOf<T>::value);
      for (int64_t i = 0, n = t.count(); i < n; ++i) to[i] = real.data<T>()[i];
    }
  });
  return out;
}

/// out = f(x, y) where the result is complex: the counterpart of reference_binary.
template <class F>
void reference_complex_binary(ReferenceArgs& a, const F& f) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = as_complex_type(a.context(), a.in(0), dtype);
  const Tensor y = as_complex_type(a.context(), a.in(1), dtype);
  visit_complex(dtype, [&](auto* p) {
    using C = std::complex<std::remove_pointer_t<decltype(p)>>;
    BroadcastWalk(a.out(0).shape(), x.shape(), y.shape()).each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
      a.out(0).data<C>()[i] = f(x.data<C>()[ix], y.data<C>()[iy]);
    });
  });
}

using ComplexFunction = std::complex<double>(std::complex<double>);

/// out[i] = f(x[i]) of complex numbers, in double. Defined in src/ops/common/binary.cc.
void map_complex(const RunContext& context, const Tensor& x, ComplexFunction* f, Tensor& out);

}  // namespace coracle::internal
