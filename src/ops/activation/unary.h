// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "base/long_loop.h"
#include "graph/op.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

inline constexpr Port kUnaryInputs[] = {in("x", "X")};
inline constexpr Port kUnaryOutputs[] = {out("out", "Out")};

/// The ports of out = f(x); base of operators that work element by element.
struct UnaryOperator {
  static constexpr std::span<const Port> kInputs = kUnaryInputs;
  static constexpr std::span<const Port> kOutputs = kUnaryOutputs;
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const UnaryOperator&, const UnaryOperator&) = default;
};

/// Same type and shape as x.
inline void infer_unary(InferArgs& a) { a.set(0, a.dtype(0), a.shape(0)); }

/// The same for functions whose results are real numbers also where x is whole: integers give float32.
inline void infer_real_function(InferArgs& a) {
  const DType x = a.dtype(0);
  a.set(0, is_float(x) || is_complex(x) ? x : DType::kFloat32, a.shape(0));
}

/// out[i] = f(x[i]) in double (results for integers are truncated), in complex numbers of double where f takes them.
template <class F>
void reference_unary(ReferenceArgs& a, const F& f) {
  if constexpr (std::is_convertible_v<F, ComplexFunction*>) {
    if (is_complex(a.in(0).dtype())) return map_complex(a.context(), a.in(0), f, a.out(0));
  }
  Buffer<double> values = a.doubles(0);
  LoopCheck check(a.context());
  for (double& v : values) {
    check.step();
    v = f(v);
  }
  a.out(0).assign(a.context(), values);
}

}  // namespace coracle::internal
