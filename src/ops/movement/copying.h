// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

inline constexpr Port kCopyInputs[] = {in("x", "X")};
inline constexpr Port kCopyOutputs[] = {out("out", "Out")};

/// Base of operators whose result is their operand.
struct CopyOperator {
  static constexpr std::span<const Port> kInputs = kCopyInputs;
  static constexpr std::span<const Port> kOutputs = kCopyOutputs;
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kAnyType = true;
  friend bool operator==(const CopyOperator&, const CopyOperator&) = default;
};

/// Same type as the operand, a tensor array included.
inline void infer_copy(InferArgs& a, int port = 0) {
  a.out(0) = Fact(a.dtype(port), a.shape(port));
  a.out(0).is_array = a.in(port).is_array;
}

}  // namespace coracle::internal
