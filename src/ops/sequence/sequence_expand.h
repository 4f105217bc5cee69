// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Each sequence of x (each row, where x has no offsets) as often as the sequence of y with its number is long, by the
/// offsets of y at ref_level (-1: the finest).
struct SequenceExpand {
  static constexpr const char* kName = "sequence_expand";
  static constexpr const char* kLegacy[] = {"sequence_expand"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int ref_level = -1;
  void attributes(AttributeVisitor& visit) { visit("ref_level", ref_level); }
  friend bool operator==(const SequenceExpand&, const SequenceExpand&) = default;
};

/// The sequences (rows from, to) of the result, in order. Throws Error where x and y do not fit.
inline std::vector<std::pair<int64_t, int64_t>> expanded_sequences(const SequenceExpand& op, const Lod& x, int64_t rows,
                                                                   const Lod& y) {
  const int level = op.ref_level < 0 ? static_cast<int>(y.size()) - 1 : op.ref_level;
  require(level >= 0 && level < static_cast<int>(y.size()), ErrorCode::kRunFailure, "y has ", y.size(),
          " levels of offsets, ref_level is ", op.ref_level);
  const std::vector<size_t>& reference = y[static_cast<size_t>(level)];
  std::vector<int64_t> offsets;
  // A level of one sequence without repetitions leaves x as it is.
  if (reference.size() <= 1) return {{0, rows}};
  if (x.empty()) {
    require(static_cast<size_t>(rows) + 1 == reference.size(), ErrorCode::kRunFailure, "x has ", rows,
            " sequences, y has ", reference.size() - 1);
    for (int64_t i = 0; i <= rows; ++i) offsets.push_back(i);
  } else {
    offsets = sequence_offsets(x, rows);
  }
  std::vector<std::pair<int64_t, int64_t>> sequences;
  require(offsets.size() == reference.size(), ErrorCode::kRunFailure, "x has ", offsets.size() - 1,
          " sequences, y has ", reference.size() - 1);
  for (size_t i = 0; i + 1 < reference.size(); ++i) {
    require(reference[i + 1] >= reference[i], ErrorCode::kRunFailure, "the offsets of y are not in order");
    for (size_t r = reference[i]; r < reference[i + 1]; ++r) sequences.emplace_back(offsets[i], offsets[i + 1]);
  }
  return sequences;
}

inline void infer(const SequenceExpand& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  int64_t rows = Shape::kUnknown;
  Lod lod;
  if (a.in(1).lod != nullptr && x.rank_known() && x.rank() > 0 && x[0] >= 0) {
    static const Lod kNone;
    const Lod& of_x = a.in(0).lod != nullptr ? *a.in(0).lod : kNone;
    rows = 0;
    std::vector<size_t> ends{0};
    for (const auto& [begin, end] : expanded_sequences(op, of_x, x[0], *a.in(1).lod)) {
      rows += end - begin;
      ends.push_back(static_cast<size_t>(rows));
    }
    if (!of_x.empty()) lod.push_back(std::move(ends));
  }
  a.set(0, a.dtype(0), with_rows(x, rows));
  if (!lod.empty()) set_lod(a.out(0), std::move(lod));
}

inline void reference(const SequenceExpand& op, ReferenceArgs& a) {
  const auto sequences = expanded_sequences(op, a.in(0).lod(), a.shape(0)[0], a.in(1).lod());
  const size_t row = row_bytes(a.in(0));
  int64_t rows = 0;
  for (const auto& [begin, end] : sequences) rows += end - begin;
  if (a.out(0).empty_handle()) a.out(0) = a.make(a.in(0).dtype(), with_rows(a.shape(0), rows));
  char* to = a.out(0).data<char>();
  for (const auto& [begin, end] : sequences) {
    const size_t bytes = static_cast<size_t>(end - begin) * row;
    copy_bytes(to, a.in(0).data<char>() + static_cast<size_t>(begin) * row, bytes);
    to += bytes;
  }
}

inline constexpr const OpSchema* sequence_expand_op = &kOpSchema<SequenceExpand>;

}  // namespace coracle::internal
