// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/rank_table.h"

namespace coracle::internal {

/// The rows of x, in the order of a rank table, whose sequences go on at step i.
struct ShrinkRnnMemory {
  static constexpr const char* kName = "shrink_rnn_memory";
  static constexpr const char* kLegacy[] = {"shrink_rnn_memory"};
  static constexpr Port kInputs[] = {in("x", "X"), in("rank_table", "RankTable"), in("i", "I")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const ShrinkRnnMemory&, const ShrinkRnnMemory&) = default;
};

inline void infer(const ShrinkRnnMemory&, InferArgs& a) {
  require_rank_table(a, 1);
  require(is_integer(a.dtype(2)), "i is ", a.dtype(2), ", expected an integer");
  a.set(0, a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
}

inline void reference(const ShrinkRnnMemory&, ReferenceArgs& a) {
  require(a.in(2).count() == 1, ErrorCode::kRunFailure, "i is a tensor ", a.shape(2), ", expected one element");
  const int64_t running = running_at(rank_table_of(a.context(), a.in(1)), a.in(2).integer(0));
  RowCollector rows(a.context(), a.in(0));
  rows.add(a.in(0), 0, running);
  a.out(0) = rows.take(false);
}

inline constexpr const OpSchema* shrink_rnn_memory_op = &kOpSchema<ShrinkRnnMemory>;

}  // namespace coracle::internal
