// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/common/joining.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Sequence i of the result is sequence i of each operand, one after the other.
struct SequenceConcat {
  static constexpr const char* kName = "sequence_concat";
  static constexpr const char* kLegacy[] = {"sequence_concat"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SequenceConcat&, const SequenceConcat&) = default;
};

inline std::vector<int64_t> concatenated_offsets(const std::vector<std::vector<int64_t>>& parts) {
  std::vector<int64_t> sum(parts.front().size());
  for (const std::vector<int64_t>& part : parts) {
    require(part.size() == sum.size(), ErrorCode::kRunFailure, "operands have ", sum.size() - 1, " and ",
            part.size() - 1, " sequences");
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  return sum;
}

inline void infer(const SequenceConcat&, InferArgs& a) {
  require(a.count(0) > 0, "sequence_concat has no operands");
  Shape y = with_rows(a.shape(0), Shape::kUnknown);
  std::vector<std::vector<int64_t>> parts;
  bool known = true;
  for (int i = 0; i < a.count(0); ++i) {
    if (y.rank_known()) y = met(y, with_rows(a.shape(0, i), Shape::kUnknown));
    parts.push_back(known_offsets(a.in(0, i)));
    known = known && !parts.back().empty();
  }
  Lod lod;
  if (known) {
    const std::vector<int64_t> offsets = concatenated_offsets(parts);
    y = with_rows(y, offsets.back());
    lod = one_level(offsets);
  }
  a.set(0, common_dtype(a, 0), y);
  if (known) set_lod(a.out(0), std::move(lod));
}

inline void reference(const SequenceConcat&, ReferenceArgs& a) {
  std::vector<std::vector<int64_t>> parts;
  for (int i = 0; i < a.count(0); ++i) parts.push_back(offsets_of(a.in(0, i)));
  const std::vector<int64_t> offsets = concatenated_offsets(parts);
  if (a.out(0).empty_handle()) {
    a.out(0) = a.make(a.in(0).dtype(), with_rows(a.shape(0), offsets.back()));
    a.out(0).set_lod(one_level(offsets));
  }
  char* to = a.out(0).data<char>();
  const size_t row = row_bytes(a.in(0));
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int i = 0; i < a.count(0); ++i) {
      const std::vector<int64_t>& part = parts[static_cast<size_t>(i)];
      const size_t bytes = static_cast<size_t>(part[s + 1] - part[s]) * row;
      if (bytes == 0) continue;
      copy_bytes(to, a.in(0, i).data<char>() + static_cast<size_t>(part[s]) * row, bytes);
      to += bytes;
    }
  }
}

inline constexpr const OpSchema* sequence_concat_op = &kOpSchema<SequenceConcat>;

}  // namespace coracle::internal
