// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/rank_table.h"

namespace coracle::internal {

/// The length of the longest sequence of a rank table, int64 [1].
struct MaxSequenceLen {
  static constexpr const char* kName = "max_sequence_len";
  static constexpr const char* kLegacy[] = {"max_sequence_len"};
  static constexpr Port kInputs[] = {in("rank_table", "RankTable")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const MaxSequenceLen&, const MaxSequenceLen&) = default;
};

inline void infer(const MaxSequenceLen&, InferArgs& a) {
  require_rank_table(a, 0);
  a.set(0, DType::kInt64, Shape{1});
}

inline void reference(const MaxSequenceLen&, ReferenceArgs& a) {
  const std::vector<RankItem> items = rank_table_of(a.context(), a.in(0));
  a.out(0).data<int64_t>()[0] = items.empty() ? 0 : items.front().length;
}

inline constexpr const OpSchema* max_sequence_len_op = &kOpSchema<MaxSequenceLen>;

}  // namespace coracle::internal
