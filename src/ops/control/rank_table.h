// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/long_loop.h"
#include "ops/sequence/sequences.h"

/// Rank tables: the sequences of a tensor from the longest to the shortest, equals in their order. DynamicRNN runs step
/// by step over those that are long enough, which are the first ones. A table is int64 [sequences, 2]: index, length.
namespace coracle::internal {

struct RankItem {
  int64_t sequence = 0;  ///< its index in the tensor
  int64_t length = 0;
};

inline void require_rank_table(const InferArgs& a, int port) {
  const Shape& s = a.shape(port);
  require(a.dtype(port) == DType::kInt64 && (!s.rank_known() || (s.rank() == 2 && (s[1] < 0 || s[1] == 2))),
          "the rank table is ", a.in(port), ", expected int64[?, 2]");
}

/// The items of a table, which has been checked: each sequence once, lengths from the largest on.
inline std::vector<RankItem> rank_table_of(const RunContext& context, const Tensor& table) {
  const int64_t count = table.shape()[0];
  std::vector<RankItem> items(static_cast<size_t>(count));
  std::vector<bool> seen(items.size(), false);
  LoopCheck check(context);
  for (int64_t i = 0; i < count; ++i) {
    check.step();
    const RankItem item{table.integer(2 * i), table.integer(2 * i + 1)};
    const bool fits = item.sequence >= 0 && item.sequence < count && !seen[static_cast<size_t>(item.sequence)] &&
                      item.length >= 0 && (i == 0 || item.length <= items[static_cast<size_t>(i) - 1].length);
    require(fits, ErrorCode::kRunFailure, "row ", i, " of a rank table is [", item.sequence, ", ", item.length,
            "]: no sequence of ", count, ", or one too many, or longer than those before");
    seen[static_cast<size_t>(item.sequence)] = true;
    items[static_cast<size_t>(i)] = item;
  }
  return items;
}

/// How many sequences have an element at `step`; they are the first of the table.
inline int64_t running_at(const std::vector<RankItem>& items, int64_t step) {
  return std::partition_point(items.begin(), items.end(), [step](const RankItem& i) { return i.length > step; }) -
         items.begin();
}

/// Offsets of the units that masks and rank tables choose: sequences, or rows where x has no sequence offsets. Only the
/// finest level can be chosen.
inline std::vector<int64_t> unit_offsets(const Tensor& x, int64_t level = 0) {
  const auto levels = static_cast<int64_t>(x.lod().size());
  require(levels <= level + 1, ErrorCode::kUnsupported, "x has ", levels, " levels of sequence offsets, expected ",
          level + 1, " at most");
  if (levels == level + 1) return offsets_of(x);
  std::vector<int64_t> rows(static_cast<size_t>(x.shape()[0]) + 1);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i);
  return rows;
}

/// Rows put one after the other into a new tensor, with the sequences that they make up.
class RowCollector {
 public:
  /// Rows of x, and of other tensors with rows of that type and size.
  RowCollector(const RunContext& context, const Tensor& x) : context_(context), like_(x) {}

  void add(const Tensor& x, int64_t begin, int64_t end) {
    require(x.dtype() == like_.dtype() && row_bytes(x) == row_bytes(like_), ErrorCode::kRunFailure, "rows of ",
            x.dtype(), x.shape(), " and of ", like_.dtype(), like_.shape(), " cannot be put together");
    require(begin >= 0 && begin <= end && end <= x.shape()[0], ErrorCode::kRunFailure, "rows ", begin, " to ", end,
            " of ", x.shape(), " are asked for");
    const size_t row = row_bytes(x);
    const char* from = x.data<char>() + static_cast<size_t>(begin) * row;
    bytes_.insert(bytes_.end(), from, from + static_cast<size_t>(end - begin) * row);
    rows_ += end - begin;
  }
  void end_sequence() { ends_.push_back(static_cast<size_t>(rows_)); }

  /// What was added; with sequence offsets if `sequences`.
  Tensor take(bool sequences) {
    Tensor y = Tensor::make(context_, like_.dtype(), with_rows(like_.shape(), rows_));
    if (!bytes_.empty()) std::memcpy(y.data<char>(), bytes_.data(), bytes_.size());
    if (sequences) y.set_lod({ends_});
    return y;
  }

 private:
  const RunContext& context_;
  const Tensor& like_;
  std::vector<char> bytes_;
  int64_t rows_ = 0;
  std::vector<size_t> ends_{0};
};

}  // namespace coracle::internal
