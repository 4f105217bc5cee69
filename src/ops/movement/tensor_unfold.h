// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "graph/op.h"

namespace coracle::internal {

/// Windows of `size` elements along an axis, `step` apart, whose elements become a new last dimension.
struct TensorUnfold {
  static constexpr const char* kName = "tensor_unfold";
  static constexpr const char* kLegacy[] = {"tensor_unfold"};
  static constexpr Port kInputs[] = {in("input", "input")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  int64_t axis = 0;
  int64_t size = 1;
  int64_t step = 1;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("size", size);
    visit("step", step);
  }
  friend bool operator==(const TensorUnfold&, const TensorUnfold&) = default;
};

inline void infer(const TensorUnfold& op, InferArgs& a) {
  Shape y = a.shape(0);
  require(op.size >= 0 && op.step > 0, "size is ", op.size, " and step ", op.step);
  if (y.rank_known()) {
    require(y.rank() > 0 && y.rank() < Shape::kMaxRank, "x is ", y);
    int64_t& d = y[normalize_axis(op.axis, y.rank())];
    require(d < 0 || d >= op.size, "size is ", op.size, " for x ", a.shape(0));
    if (d >= 0) d = (d - op.size) / op.step + 1;
    y.insert(y.rank(), op.size);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const TensorUnfold& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int axis = normalize_axis(op.axis, s.rank());
  const size_t element = size_of(a.in(0).dtype());
  const int64_t inner = s.count(axis + 1, s.rank());
  const int64_t windows = a.out(0).shape()[axis];
  const auto* from = static_cast<const unsigned char*>(a.in(0).raw());
  auto* to = static_cast<unsigned char*>(a.out(0).raw());
  for (int64_t o = 0; o < s.count(0, axis); ++o) {
    for (int64_t w = 0; w < windows; ++w) {
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t k = 0; k < op.size; ++k, to += element) {
          const int64_t at = (o * s[axis] + w * op.step + k) * inner + i;
          std::memcpy(to, from + static_cast<size_t>(at) * element, element);
        }
      }
    }
  }
}

inline constexpr const OpSchema* tensor_unfold_op = &kOpSchema<TensorUnfold>;

}  // namespace coracle::internal
