// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"
#include "ops/control/rank_table.h"

namespace coracle::internal {

/// The steps of sequences as a tensor array: element t has row t of each sequence that is longer than t, in the order
/// of the rank table.
struct LodTensorToArray {
  static constexpr const char* kName = "lod_tensor_to_array";
  static constexpr const char* kLegacy[] = {"lod_tensor_to_array"};
  static constexpr Port kInputs[] = {in("x", "X"), in("rank_table", "RankTable")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const LodTensorToArray&, const LodTensorToArray&) = default;
};

inline void infer(const LodTensorToArray&, InferArgs& a) {
  require_rank_table(a, 1);
  a.out(0) = array_fact(a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
}

inline void reference(const LodTensorToArray&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const std::vector<RankItem> items = rank_table_of(a.context(), a.in(1));
  require(items.size() + 1 == offsets.size(), ErrorCode::kRunFailure, "x has ", offsets.size() - 1,
          " sequences, the rank table ", items.size());
  a.out(0) = Tensor::array(a.in(0).dtype());
  for (int64_t step = 0, steps = items.empty() ? 0 : items[0].length; step < steps; ++step) {
    RowCollector rows(a.context(), a.in(0));
    for (int64_t i = 0, running = running_at(items, step); i < running; ++i) {
      const auto sequence = static_cast<size_t>(items[static_cast<size_t>(i)].sequence);
      const int64_t row = offsets[sequence] + step;
      require(row < offsets[sequence + 1], ErrorCode::kRunFailure, "sequence ", sequence, " of x has ",
              offsets[sequence + 1] - offsets[sequence], " rows, by the rank table ",
              items[static_cast<size_t>(i)].length);
      rows.add(a.in(0), row, row + 1);
    }
    a.out(0).elements().push_back(rows.take(false));
  }
}

inline constexpr const OpSchema* lod_tensor_to_array_op = &kOpSchema<LodTensorToArray>;

}  // namespace coracle::internal
