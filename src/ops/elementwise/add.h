// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/complex_numbers.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x + y
struct Add : BinaryOperator {
  static constexpr const char* kName = "add";
  static constexpr const char* kLegacy[] = {"elementwise_add"};
  static void lower(Lowering& l) { lower_binary<Add>(l); }
  friend bool operator==(const Add&, const Add&) = default;
};

inline void infer(const Add&, InferArgs& a) { infer_binary(a); }

inline void reference(const Add&, ReferenceArgs& a) {
  if (is_complex(a.out(0).dtype())) {
    reference_complex_binary(a, [](auto x, auto y) { return x + y; });
    return;
  }
  reference_binary(a, [](auto x, auto y) { return wrapped_sum(x, y); });
}

inline constexpr const OpSchema* add_op = &kOpSchema<Add>;

}  // namespace coracle::internal
