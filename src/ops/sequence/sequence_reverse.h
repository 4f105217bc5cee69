// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// The rows of each sequence in reverse order.
struct SequenceReverse {
  static constexpr const char* kName = "sequence_reverse";
  static constexpr const char* kLegacy[] = {"sequence_reverse"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("y", "Y")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const SequenceReverse&, const SequenceReverse&) = default;
};

inline void infer(const SequenceReverse&, InferArgs& a) {
  a.set(0, a.dtype(0), with_rows(a.shape(0), a.shape(0).rank_known() ? a.shape(0)[0] : Shape::kUnknown));
}

inline void reference(const SequenceReverse&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const size_t row = row_bytes(a.in(0));
  for (size_t s = 0; s + 1 < offsets.size() && row != 0; ++s) {
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const int64_t from = offsets[s] + offsets[s + 1] - 1 - i;
      copy_bytes(a.out(0).data<char>() + static_cast<size_t>(i) * row,
                 a.in(0).data<char>() + static_cast<size_t>(from) * row, row);
    }
  }
}

inline constexpr const OpSchema* sequence_reverse_op = &kOpSchema<SequenceReverse>;

}  // namespace coracle::internal
