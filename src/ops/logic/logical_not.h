// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = true where x is zero
struct LogicalNot : UnaryOperator {
  static constexpr const char* kName = "logical_not";
  static constexpr const char* kLegacy[] = {"logical_not"};
  friend bool operator==(const LogicalNot&, const LogicalNot&) = default;
};

inline void infer(const LogicalNot&, InferArgs& a) { a.set(0, DType::kBool, a.shape(0)); }

inline void reference(const LogicalNot&, ReferenceArgs& a) {
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
      a.out(0).data<bool>()[i] = static_cast<double>(a.in(0).data<T>()[i]) == 0.0;
    }
  });
}

inline constexpr const OpSchema* logical_not_op = &kOpSchema<LogicalNot>;

}  // namespace coracle::internal
