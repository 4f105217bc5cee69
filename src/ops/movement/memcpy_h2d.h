// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = x, brought to the device; where values live is the planner's matter.
struct MemcpyH2d : CopyOperator {
  static constexpr const char* kName = "memcpy_h2d";
  static constexpr const char* kLegacy[] = {"memcpy_h2d"};
  friend bool operator==(const MemcpyH2d&, const MemcpyH2d&) = default;
};

inline void infer(const MemcpyH2d&, InferArgs& a) { infer_copy(a); }

inline void reference(const MemcpyH2d&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline bool is_identity(const MemcpyH2d&, const NodeFacts&) { return true; }

inline constexpr const OpSchema* memcpy_h2d_op = &kOpSchema<MemcpyH2d>;

}  // namespace coracle::internal
