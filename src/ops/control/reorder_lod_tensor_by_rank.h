// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/rank_table.h"

namespace coracle::internal {

/// The sequences of x (its rows where it has no sequence offsets) in the order of a rank table.
struct ReorderLodTensorByRank {
  static constexpr const char* kName = "reorder_lod_tensor_by_rank";
  static constexpr const char* kLegacy[] = {"reorder_lod_tensor_by_rank"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("rank_table", "RankTable")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const ReorderLodTensorByRank&, const ReorderLodTensorByRank&) = default;
};

inline void infer(const ReorderLodTensorByRank&, InferArgs& a) {
  require_rank_table(a, 1);
  // The offsets of the result are known with the table only, and then the result is assigned.
  a.set(0, a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
}

inline void reference(const ReorderLodTensorByRank&, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const std::vector<int64_t> offsets = unit_offsets(x);
  const std::vector<RankItem> items = rank_table_of(a.context(), a.in(1));
  require(items.size() + 1 == offsets.size(), ErrorCode::kRunFailure, "x has ", offsets.size() - 1,
          " sequences or rows, the rank table ", items.size());
  RowCollector rows(a.context(), x);
  for (const RankItem& item : items) {
    const auto i = static_cast<size_t>(item.sequence);
    rows.add(x, offsets[i], offsets[i + 1]);
    rows.end_sequence();
  }
  a.out(0) = rows.take(!x.lod().empty());
}

inline constexpr const OpSchema* reorder_lod_tensor_by_rank_op = &kOpSchema<ReorderLodTensorByRank>;

}  // namespace coracle::internal
