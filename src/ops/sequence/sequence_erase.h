// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Sequences of numbers [N, 1] without those that are `tokens`.
struct SequenceErase {
  static constexpr const char* kName = "sequence_erase";
  static constexpr const char* kLegacy[] = {"sequence_erase"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints tokens;
  void attributes(AttributeVisitor& visit) { visit("tokens", tokens); }
  friend bool operator==(const SequenceErase&, const SequenceErase&) = default;
};

inline void infer(const SequenceErase&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(a.dtype(0) == DType::kInt64 || a.dtype(0) == DType::kInt32, "x is ", a.dtype(0), ", expected integers");
  require_one_per_row(x, "x");
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, 1});
}

inline void reference(const SequenceErase& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const Buffer<int64_t> x = a.integers(0);
  Buffer<int64_t> y(a.context());
  std::vector<size_t> ends{0};
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const int64_t v = x[static_cast<size_t>(i)];
      if (std::find(op.tokens.begin(), op.tokens.end(), v) == op.tokens.end()) y.push_back(v);
    }
    ends.push_back(y.size());
  }
  a.out(0) = a.make(a.in(0).dtype(), Shape{static_cast<int64_t>(y.size()), 1});
  a.out(0).assign(a.context(), std::span<const int64_t>(y));
  // Coarser levels count sequences, which stay.
  Lod lod = a.in(0).lod();
  if (lod.empty()) lod.emplace_back();
  lod.back() = std::move(ends);
  a.out(0).set_lod(std::move(lod));
}

inline constexpr const OpSchema* sequence_erase_op = &kOpSchema<SequenceErase>;

}  // namespace coracle::internal
