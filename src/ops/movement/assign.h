// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = x, also for a tensor array.
struct Assign : CopyOperator {
  static constexpr const char* kName = "assign";
  static constexpr const char* kLegacy[] = {"assign"};
  friend bool operator==(const Assign&, const Assign&) = default;
};

inline void infer(const Assign&, InferArgs& a) { infer_copy(a); }

inline void reference(const Assign&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline bool is_identity(const Assign&, const NodeFacts&) { return true; }

inline constexpr const OpSchema* assign_op = &kOpSchema<Assign>;

}  // namespace coracle::internal
