// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "ops/common/operands.h"
#include "ops/index/gathering.h"

namespace coracle::internal {

/// Slice i of x along `axis` repeats[i] times in a row (one number of repeats holds for all).
struct RepeatInterleaveWithTensorIndex {
  static constexpr const char* kName = "repeat_interleave_with_tensor_index";
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("repeats", "", "RepeatsTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = 0;
  void attributes(AttributeVisitor& visit) { visit("axis", axis, "dim"); }
  friend bool operator==(const RepeatInterleaveWithTensorIndex&, const RepeatInterleaveWithTensorIndex&) = default;
};

/// The slices that the result has, by number.
inline Ints repeated_slices(const Ints& repeats, int64_t dim) {
  require(repeats.size() == 1 || static_cast<int64_t>(repeats.size()) == dim, ErrorCode::kRunFailure, "repeats has ",
          repeats.size(), " elements, x has ", dim, " slices");
  Ints slices;
  constexpr int64_t kMaxSlices = int64_t{1} << 27U;
  require(dim <= kMaxSlices, ErrorCode::kUnsupported, "x has ", dim, " slices, at most ", kMaxSlices, " are possible");
  for (int64_t i = 0; i < dim; ++i) {
    const int64_t times = repeats[repeats.size() == 1 ? 0 : static_cast<size_t>(i)];
    require(times >= 0 && times <= kMaxSlices - static_cast<int64_t>(slices.size()), ErrorCode::kRunFailure,
            "a slice is to be repeated ", times, " times, at most ", kMaxSlices, " slices are possible");
    slices.insert(slices.end(), static_cast<size_t>(times), i);
  }
  return slices;
}

inline void infer(const RepeatInterleaveWithTensorIndex& op, InferArgs& a) {
  require_operand(a, 1, "repeats");
  Shape y = a.shape(0);
  const std::optional<Ints> repeats = a.ints(1);
  if (y.rank_known()) {
    const int axis = normalize_axis(op.axis, y.rank());
    const bool known = repeats && y[axis] >= 0;
    y[axis] = known ? static_cast<int64_t>(repeated_slices(*repeats, y[axis]).size()) : Shape::kUnknown;
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const RepeatInterleaveWithTensorIndex& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const int axis = normalize_axis(op.axis, x.rank());
  const Ints slices = repeated_slices(a.in(1).integers(a.context()), x[axis]);
  Shape y = x;
  y[axis] = static_cast<int64_t>(slices.size());
  if (a.out(0).empty_handle()) a.out(0) = a.make(a.in(0).dtype(), y);
  gather_slices(a.context(), a.in(0), Tensor::ints(a.context(), slices), axis, a.out(0));
}

inline constexpr const OpSchema* repeat_interleave_with_tensor_index_op = &kOpSchema<RepeatInterleaveWithTensorIndex>;

}  // namespace coracle::internal
