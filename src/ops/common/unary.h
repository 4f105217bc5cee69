// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle {

inline constexpr Port kUnaryInputs[] = {in("x", "X")};
inline constexpr Port kUnaryOutputs[] = {out("out", "Out")};

/// The ports of out = f(x); base of operators that work element by element.
struct UnaryOperator {
  static constexpr std::span<const Port> kInputs = kUnaryInputs;
  static constexpr std::span<const Port> kOutputs = kUnaryOutputs;
  static constexpr bool kSharesLod = true;
  friend bool operator==(const UnaryOperator&, const UnaryOperator&) = default;
};

/// Same type and shape as x.
inline void infer_unary(InferArgs& a) { a.set(0, a.dtype(0), a.shape(0)); }

/// out[i] = f(x[i]) in double for real types (integers keep their type: f's result is truncated).
template <class F>
void reference_unary(ReferenceArgs& a, const F& f) {
  const Tensor& x = a.in(0);
  Tensor& y = a.out(0);
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = x.data<T>();
    T* to = y.data<T>();
    for (int64_t i = 0, n = x.count(); i < n; ++i) to[i] = static_cast<T>(f(static_cast<double>(from[i])));
  });
}

}  // namespace coracle
