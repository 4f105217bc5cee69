// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"
#include "ops/control/rank_table.h"

namespace coracle::internal {

/// Sequences put together from their steps: what lod_tensor_to_array took apart by the same rank table.
struct ArrayToLodTensor {
  static constexpr const char* kName = "array_to_lod_tensor";
  static constexpr const char* kLegacy[] = {"array_to_lod_tensor"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("rank_table", "RankTable")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr size_t kArrays = 1;
  friend bool operator==(const ArrayToLodTensor&, const ArrayToLodTensor&) = default;
};

inline void infer(const ArrayToLodTensor&, InferArgs& a) {
  require_array(a, 0);
  require_rank_table(a, 1);
  a.set(0, a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
}

inline void reference(const ArrayToLodTensor&, ReferenceArgs& a) {
  const std::vector<Tensor>& steps = a.in(0).elements();
  const std::vector<RankItem> items = rank_table_of(a.context(), a.in(1));
  require(!steps.empty(), ErrorCode::kRunFailure, "a tensor array without elements cannot become a tensor");
  std::vector<size_t> rank(items.size());
  for (size_t i = 0; i < items.size(); ++i) rank[static_cast<size_t>(items[i].sequence)] = i;
  RowCollector rows(a.context(), written(steps[0], 0));
  for (size_t place : rank) {
    const int64_t length = items[place].length;
    require(length <= static_cast<int64_t>(steps.size()), ErrorCode::kRunFailure, "a sequence has ", length,
            " steps by the rank table, the tensor array ", steps.size());
    for (size_t t = 0; t < static_cast<size_t>(length); ++t) {
      rows.add(written(steps[t], t), static_cast<int64_t>(place), static_cast<int64_t>(place) + 1);
    }
    rows.end_sequence();
  }
  a.out(0) = rows.take(true);
}

inline constexpr const OpSchema* array_to_lod_tensor_op = &kOpSchema<ArrayToLodTensor>;

}  // namespace coracle::internal
