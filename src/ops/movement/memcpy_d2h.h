// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = x, brought to the host; where values live is the planner's matter.
struct MemcpyD2h : CopyOperator {
  static constexpr const char* kName = "memcpy_d2h";
  static constexpr const char* kLegacy[] = {"memcpy_d2h"};
  friend bool operator==(const MemcpyD2h&, const MemcpyD2h&) = default;
};

inline void infer(const MemcpyD2h&, InferArgs& a) { infer_copy(a); }

inline void reference(const MemcpyD2h&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline bool is_identity(const MemcpyD2h&, const NodeFacts&) { return true; }

inline constexpr const OpSchema* memcpy_d2h_op = &kOpSchema<MemcpyD2h>;

}  // namespace coracle::internal
