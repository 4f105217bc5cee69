// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/arg_extreme.h"

namespace coracle::internal {

/// Position of the first largest element along an axis; what is not a number is passed over.
struct Argmax : ArgExtreme {
  static constexpr const char* kName = "argmax";
  static constexpr const char* kLegacy[] = {"arg_max"};
  friend bool operator==(const Argmax&, const Argmax&) = default;
};

inline void infer(const Argmax& op, InferArgs& a) { infer_arg_extreme(op, a); }

inline void reference(const Argmax& op, ReferenceArgs& a) {
  reference_arg_extreme(op, a, [](auto x, auto y) { return x > y || (y != y && x == x); });
}

inline constexpr const OpSchema* argmax_op = &kOpSchema<Argmax>;

}  // namespace coracle::internal
