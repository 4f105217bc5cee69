// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/attention/multihead_matmul.h"

namespace coracle::internal {

/// Self-attention of packed projections x [B, S, 3, heads, depth], of a program that was optimised before it was saved.
struct SelfDpAttention {
  static constexpr const char* kName = "self_dp_attention";
  static constexpr const char* kLegacy[] = {"self_dp_attention"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    l.bind("Out", add_packed_attention(l, l.input("X"), {}, l.attribute<double>("alpha", 1.0)));
  }
  friend bool operator==(const SelfDpAttention&, const SelfDpAttention&) = default;
};

inline constexpr const OpSchema* self_dp_attention_op = &kOpSchema<SelfDpAttention>;

}  // namespace coracle::internal
