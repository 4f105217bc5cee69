// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Row i of x as often as sequence i of y is long; the result has the offsets of y.
struct SequenceExpandAs {
  static constexpr const char* kName = "sequence_expand_as";
  static constexpr const char* kLegacy[] = {"sequence_expand_as"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SequenceExpandAs&, const SequenceExpandAs&) = default;
};

inline void infer(const SequenceExpandAs&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const std::vector<int64_t> offsets = known_offsets(a.in(1));
  require(offsets.empty() || !x.rank_known() || x.rank() == 0 || x[0] < 0 ||
              x[0] + 1 == static_cast<int64_t>(offsets.size()),
          "x is ", x, ", but y has ", offsets.size() - 1, " sequences");
  a.set(0, a.dtype(0), with_rows(x, offsets.empty() ? Shape::kUnknown : offsets.back()));
  if (!offsets.empty()) set_lod(a.out(0), one_level(offsets));
}

inline void reference(const SequenceExpandAs&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(1));
  require(a.shape(0)[0] + 1 == static_cast<int64_t>(offsets.size()), ErrorCode::kRunFailure, "x is ", a.shape(0),
          ", but y has ", offsets.size() - 1, " sequences");
  const size_t row = row_bytes(a.in(0));
  if (a.out(0).empty_handle()) a.out(0) = a.make(a.in(0).dtype(), with_rows(a.shape(0), offsets.back()));
  char* to = a.out(0).data<char>();
  for (size_t i = 0; i + 1 < offsets.size() && row != 0; ++i) {
    for (int64_t r = offsets[i]; r < offsets[i + 1]; ++r, to += row) {
      copy_bytes(to, a.in(0).data<char>() + i * row, row);
    }
  }
}

inline constexpr const OpSchema* sequence_expand_as_op = &kOpSchema<SequenceExpandAs>;

}  // namespace coracle::internal
