// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// For each row of x [N, 1] the win_size elements of its sequence that start with it; pad_value after the end.
struct SequenceEnumerate {
  static constexpr const char* kName = "sequence_enumerate";
  static constexpr const char* kLegacy[] = {"sequence_enumerate"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int win_size = 2;
  int pad_value = 0;
  void attributes(AttributeVisitor& visit) {
    visit("win_size", win_size);
    visit("pad_value", pad_value);
  }
  friend bool operator==(const SequenceEnumerate&, const SequenceEnumerate&) = default;
};

inline void infer(const SequenceEnumerate& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(a.dtype(0) == DType::kInt64 || a.dtype(0) == DType::kInt32, "x is ", a.dtype(0), ", expected integers");
  require(op.win_size > 0, "win_size is ", op.win_size);
  require(!x.rank_known() || (x.rank() == 2 && (x[1] < 0 || x[1] == 1)), "x is ", x, ", expected [N, 1]");
  a.set(0, a.dtype(0), Shape{x.rank_known() ? x[0] : Shape::kUnknown, op.win_size});
}

inline void reference(const SequenceEnumerate& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const Buffer<int64_t> x = a.integers(0);
  Buffer<int64_t> y(a.context());
  y.reserve(static_cast<size_t>(a.out(0).count()));
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      for (int64_t k = i; k < i + op.win_size; ++k) {
        y.push_back(k < offsets[s + 1] ? x[static_cast<size_t>(k)] : op.pad_value);
      }
    }
  }
  a.out(0).assign(a.context(), std::span<const int64_t>(y));
}

inline constexpr const OpSchema* sequence_enumerate_op = &kOpSchema<SequenceEnumerate>;

}  // namespace coracle::internal
