// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// The first length[i] steps of each x[i] one after the other, as sequences; x is [sequences, steps, ...].
struct SequenceUnpad {
  static constexpr const char* kName = "sequence_unpad";
  static constexpr const char* kLegacy[] = {"sequence_unpad"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("length", "Length")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SequenceUnpad&, const SequenceUnpad&) = default;
};

inline void infer(const SequenceUnpad&, InferArgs& a) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 2, "x is ", y, ", expected [sequences, steps, ...]");
    require(!a.shape(1).known() || y[0] < 0 || a.shape(1).count() == y[0], "x is ", y, ", but lengths are ",
            a.shape(1));
    y.erase(0);
    y[0] = Shape::kUnknown;
    if (y.rank() == 1) y.push_back(1);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const SequenceUnpad&, ReferenceArgs& a) {
  Shape y = a.shape(0);
  const int64_t steps = y[1];
  y.erase(0);
  std::vector<int64_t> offsets{0};
  for (int64_t length : a.in(1).integers(a.context())) {
    require(length >= 0 && length <= steps, ErrorCode::kRunFailure, "a length is ", length, ", there are ", steps,
            " steps");
    offsets.push_back(offsets.back() + length);
  }
  y[0] = offsets.back();
  if (y.rank() == 1) y.push_back(1);
  a.out(0) = a.make(a.in(0).dtype(), y);
  a.out(0).set_lod(one_level(offsets));
  const size_t row = static_cast<size_t>(row_count(y)) * size_of(a.in(0).dtype());
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const size_t bytes = static_cast<size_t>(offsets[i + 1] - offsets[i]) * row;
    if (bytes == 0) continue;
    copy_bytes(a.out(0).data<char>() + static_cast<size_t>(offsets[i]) * row,
               a.in(0).data<char>() + i * static_cast<size_t>(steps) * row, bytes);
  }
}

inline constexpr const OpSchema* sequence_unpad_op = &kOpSchema<SequenceUnpad>;

}  // namespace coracle::internal
