// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/arg_extreme.h"

namespace coracle::internal {

/// Position of the first smallest element along an axis; what is not a number is passed over.
struct Argmin : ArgExtreme {
  static constexpr const char* kName = "argmin";
  static constexpr const char* kLegacy[] = {"arg_min"};
  friend bool operator==(const Argmin&, const Argmin&) = default;
};

inline void infer(const Argmin& op, InferArgs& a) { infer_arg_extreme(op, a); }

inline void reference(const Argmin& op, ReferenceArgs& a) {
  reference_arg_extreme(op, a, [](auto x, auto y) { return x < y || (y != y && x == x); });
}

inline constexpr const OpSchema* argmin_op = &kOpSchema<Argmin>;

}  // namespace coracle::internal
