// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/cast.h"

namespace coracle::internal {

/// A cast that Paddle puts in where an operator takes another type than it is given.
struct TransferDtype {
  static constexpr const char* kName = "transfer_dtype";
  static constexpr const char* kLegacy[] = {"transfer_dtype"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) { l.bind("Out", l.add(l.read<Cast>(), {{l.input("X")}})); }
  friend bool operator==(const TransferDtype&, const TransferDtype&) = default;
};

inline constexpr const OpSchema* transfer_dtype_op = &kOpSchema<TransferDtype>;

}  // namespace coracle::internal
