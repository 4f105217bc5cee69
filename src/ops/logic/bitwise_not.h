// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/logic/bitwise.h"

namespace coracle::internal {

/// out = every bit of x turned; bool is negated
struct BitwiseNot : UnaryOperator {
  static constexpr const char* kName = "bitwise_not";
  static constexpr const char* kLegacy[] = {"bitwise_not"};
  friend bool operator==(const BitwiseNot&, const BitwiseNot&) = default;
};

inline void infer(const BitwiseNot&, InferArgs& a) {
  require_bits(a, 0);
  infer_unary(a);
}

inline void reference(const BitwiseNot&, ReferenceArgs& a) {
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    if constexpr (std::is_same_v<T, bool>) {
      for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) a.out(0).data<T>()[i] = !a.in(0).data<T>()[i];
    } else if constexpr (std::is_integral_v<T>) {
      const T* x = a.in(0).data<T>();
      for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) a.out(0).data<T>()[i] = static_cast<T>(~x[i]);
    }
  });
}

inline constexpr const OpSchema* bitwise_not_op = &kOpSchema<BitwiseNot>;

}  // namespace coracle::internal
