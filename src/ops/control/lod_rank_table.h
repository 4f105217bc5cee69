// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/rank_table.h"

namespace coracle::internal {

/// The rank table (ops/control/rank_table.h) of the sequences of x.
struct LodRankTable {
  static constexpr const char* kName = "lod_rank_table";
  static constexpr const char* kLegacy[] = {"lod_rank_table"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t level = 0;
  void attributes(AttributeVisitor& visit) { visit("level", level); }
  friend bool operator==(const LodRankTable&, const LodRankTable&) = default;
};

inline void infer(const LodRankTable& op, InferArgs& a) {
  const std::shared_ptr<const Lod>& lod = a.in(0).lod;
  require(lod == nullptr || static_cast<int64_t>(lod->size()) == op.level + 1, ErrorCode::kUnsupported, "level ",
          op.level, " of ", lod == nullptr ? 0 : lod->size(), " levels of sequence offsets is not the finest");
  a.set(0, DType::kInt64, Shape{sequence_count(a.in(0)), 2});
}

inline void reference(const LodRankTable&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  std::vector<RankItem> items;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    items.push_back({static_cast<int64_t>(i), offsets[i + 1] - offsets[i]});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const RankItem& x, const RankItem& y) { return x.length > y.length; });
  Tensor& table = a.out(0);
  if (table.empty_handle()) table = a.make(DType::kInt64, Shape{static_cast<int64_t>(items.size()), 2});
  for (size_t i = 0; i < items.size(); ++i) {
    table.data<int64_t>()[2 * i] = items[i].sequence;
    table.data<int64_t>()[2 * i + 1] = items[i].length;
  }
}

inline constexpr const OpSchema* lod_rank_table_op = &kOpSchema<LodRankTable>;

}  // namespace coracle::internal
