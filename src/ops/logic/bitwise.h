// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"

namespace coracle::internal {

inline void require_bits(const InferArgs& a, int port) {
  require(is_integer(a.dtype(port)) || a.dtype(port) == DType::kBool, "operand ", port, " is ", a.dtype(port),
          ", expected integers or bool");
}

inline void infer_bitwise(InferArgs& a) {
  require_bits(a, 0);
  require_bits(a, 1);
  infer_binary(a);
}

/// out = f(x, y) on integers, sign-extended to 64 bits.
template <class F>
void reference_bitwise(ReferenceArgs& a, const F& f) {
  reference_binary(a, [&f](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(f(static_cast<int64_t>(x), static_cast<int64_t>(y)));
    } else {
      return x;
    }
  });
}

}  // namespace coracle::internal
