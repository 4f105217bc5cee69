// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = x, in another memory; where values live is the planner's matter.
struct Memcpy : CopyOperator {
  static constexpr const char* kName = "memcpy";
  static constexpr const char* kLegacy[] = {"memcpy"};
  friend bool operator==(const Memcpy&, const Memcpy&) = default;
};

inline void infer(const Memcpy&, InferArgs& a) { infer_copy(a); }

inline void reference(const Memcpy&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline bool is_identity(const Memcpy&, const NodeFacts&) { return true; }

inline constexpr const OpSchema* memcpy_op = &kOpSchema<Memcpy>;

}  // namespace coracle::internal
