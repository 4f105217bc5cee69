// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "base/copy_bytes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Of sequence i the length[i] rows from row offset[i] on.
struct SequenceSlice {
  static constexpr const char* kName = "sequence_slice";
  static constexpr const char* kLegacy[] = {"sequence_slice"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("offset", "Offset"), in("length", "Length")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SequenceSlice&, const SequenceSlice&) = default;
};

inline void infer(const SequenceSlice&, InferArgs& a) {
  for (int port : {1, 2}) {
    require(a.dtype(port) == DType::kInt64 || a.dtype(port) == DType::kInt32, port == 1 ? "offset" : "length", " is ",
            a.dtype(port), ", expected integers");
  }
  a.set(0, a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
}

inline void reference(const SequenceSlice&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const Buffer<int64_t> first = a.integers(1);
  const Buffer<int64_t> lengths = a.integers(2);
  const size_t sequences = offsets.size() - 1;
  require(first.size() == sequences && lengths.size() == sequences, ErrorCode::kRunFailure, "x has ", sequences,
          " sequences, but there are ", first.size(), " offsets and ", lengths.size(), " lengths");
  std::vector<int64_t> ends{0};
  for (size_t s = 0; s < sequences; ++s) {
    const int64_t size = offsets[s + 1] - offsets[s];
    require(first[s] >= 0 && lengths[s] >= 0 && first[s] <= size && lengths[s] <= size - first[s],
            ErrorCode::kRunFailure, "sequence ", s, " has ", size, " rows, the slice wants ", lengths[s], " from row ",
            first[s], " on");
    ends.push_back(ends.back() + lengths[s]);
  }
  a.out(0) = a.make(a.in(0).dtype(), with_rows(a.shape(0), ends.back()));
  a.out(0).set_lod(one_level(ends));
  const size_t row = row_bytes(a.in(0));
  for (size_t s = 0; s < sequences; ++s) {
    const size_t bytes = static_cast<size_t>(lengths[s]) * row;
    if (bytes == 0) continue;
    copy_bytes(a.out(0).data<char>() + static_cast<size_t>(ends[s]) * row,
               a.in(0).data<char>() + static_cast<size_t>(offsets[s] + first[s]) * row, bytes);
  }
}

inline constexpr const OpSchema* sequence_slice_op = &kOpSchema<SequenceSlice>;

}  // namespace coracle::internal
