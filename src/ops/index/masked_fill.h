// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/where.h"

namespace coracle::internal {

/// `value` where the mask holds, x elsewhere; all three broadcast.
struct MaskedFill {
  static constexpr const char* kName = "masked_fill";
  static constexpr const char* kLegacy[] = {"masked_fill"};
  static constexpr Port kInputs[] = {in("x", "X"), in("mask", "Mask"), in("value", "Value")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const MaskedFill&, const MaskedFill&) = default;
};

inline void infer(const MaskedFill&, InferArgs& a) {
  a.set(0, a.dtype(0), broadcast(broadcast(a.shape(0), a.shape(1)), a.shape(2)));
}

inline void reference(const MaskedFill&, ReferenceArgs& a) { choose(a.context(), a.in(1), a.in(2), a.in(0), a.out(0)); }

inline constexpr const OpSchema* masked_fill_op = &kOpSchema<MaskedFill>;

}  // namespace coracle::internal
