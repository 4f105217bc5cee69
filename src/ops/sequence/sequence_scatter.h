// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/indices.h"
#include "ops/index/scattering.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// x [sequences, ...] with the updates of sequence i added to row i, at the places that ids (of the same sequences)
/// tell.
struct SequenceScatter {
  static constexpr const char* kName = "sequence_scatter";
  static constexpr const char* kLegacy[] = {"sequence_scatter"};
  static constexpr Port kInputs[] = {in("x", "X"), in("ids", "Ids"), in("updates", "Updates")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SequenceScatter&, const SequenceScatter&) = default;
};

inline void infer(const SequenceScatter&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and updates ", a.dtype(2));
  require(a.dtype(1) == DType::kInt64 || a.dtype(1) == DType::kInt32, "ids are ", a.dtype(1), ", expected integers");
  require(!x.rank_known() || x.rank() > 0, "x is a scalar, expected rows");
  require_one_per_row(a.shape(1), "ids");
  if (a.shape(1).known() && a.shape(2).known()) {
    require(a.shape(1).count() == a.shape(2).count(), "ids are ", a.shape(1), " and updates ", a.shape(2));
  }
  a.set(0, a.dtype(0), x);
}

inline void reference(const SequenceScatter&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(1));
  const Buffer<int64_t> ids = a.integers(1);
  const int64_t width = row_count(a.shape(0));
  require(static_cast<int64_t>(offsets.size()) - 1 == a.shape(0)[0], ErrorCode::kRunFailure, "ids have ",
          offsets.size() - 1, " sequences, but x is ", a.shape(0));
  std::vector<int64_t> positions;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const int64_t at = checked_index(ids[static_cast<size_t>(i)], width, "Ids", i);
      positions.push_back(static_cast<int64_t>(s) * width + at);
    }
  }
  copy_tensor(a.context(), a.in(0), a.out(0));
  scatter_rows(a.in(2), positions, 1, true, a.out(0));
}

inline constexpr const OpSchema* sequence_scatter_op = &kOpSchema<SequenceScatter>;

}  // namespace coracle::internal
