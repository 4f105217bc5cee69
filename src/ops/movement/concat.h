// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "base/convert.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// The tensors one after the other on `axis` (0 where absent). Scalars count as one element.
struct Concat {
  static constexpr const char* kName = "concat";
  static constexpr const char* kLegacy[] = {"concat"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {list_in("x", "X"), shape_in("axis", "axis", "AxisTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Concat&, const Concat&) = default;
};

/// Of operands joined row by row: the sequences of all one after the other, of the first alone where one has no
/// offsets.
inline std::shared_ptr<const Lod> joined_lod(const InferArgs& a) {
  if (a.in(0).lod == nullptr) return nullptr;
  Lod joined = *a.in(0).lod;
  for (int i = 1; i < a.count(0); ++i) {
    if (a.in(0, i).lod == nullptr) return a.in(0).lod;
    const Lod& next = *a.in(0, i).lod;
    require(next.size() == joined.size(), "operand ", i, " has ", next.size(),
            " levels of sequence offsets, operand 0 ", joined.size());
    for (size_t level = 0; level < next.size(); ++level) {
      const size_t before = joined[level].empty() ? 0 : joined[level].back();
      for (size_t k = 1; k < next[level].size(); ++k) joined[level].push_back(before + next[level][k]);
    }
  }
  return std::make_shared<const Lod>(std::move(joined));
}

inline void infer(const Concat&, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  const std::optional<double> axis_value = a.has(1) ? a.number(1) : 0.0;
  Shape y = Shape::unknown_rank();
  for (int i = 0; i < a.count(0); ++i) {
    Shape x = a.shape(0, i).is_scalar() ? Shape{1} : a.shape(0, i);
    if (!x.rank_known()) continue;
    if (!axis_value) {
      y = Shape::filled(x.rank(), Shape::kUnknown);
      continue;
    }
    x[normalize_axis(position(*axis_value), x.rank())] = Shape::kUnknown;
    y = met(y, x);
  }
  if (y.rank_known() && axis_value) {
    const int axis = normalize_axis(position(*axis_value), y.rank());
    int64_t sum = 0;
    for (int i = 0; i < a.count(0) && sum >= 0; ++i) {
      const Shape& x = a.shape(0, i);
      const int64_t dim = x.is_scalar() ? 1 : (x.rank_known() ? x[axis] : Shape::kUnknown);
      sum = dim < 0 ? Shape::kUnknown : checked_add(sum, dim);
    }
    y[axis] = sum;
    a.set(0, dtype, y);
    if (a.has(0)) a.out(0).lod = axis == 0 ? joined_lod(a) : a.in(0).lod;
    return;
  }
  a.set(0, dtype, y);
}

inline void reference(const Concat&, ReferenceArgs& a) {
  std::vector<const Tensor*> parts;
  for (int i = 0; i < a.count(0); ++i) parts.push_back(&a.in(0, i));
  const int axis = normalize_axis(a.has(1) ? a.in(1).integer(0) : 0, a.out(0).shape().rank());
  join_tensors(a.context(), parts, axis, a.out(0));
}

inline bool is_identity(const Concat&, const NodeFacts& f) { return f.count(0) == 1 && !f.in(0).is_array; }

inline std::optional<StridedView> view_of_operand(const Concat&, const NodeFacts& f, const StridedView& y,
                                                  int operand) {
  const Tensor* axis_value = f.value(1);
  const int rank = f.out().shape.rank();
  if (axis_value == nullptr) return std::nullopt;
  const int axis = normalize_axis(axis_value->integer(0), rank);
  StridedView x = y;
  for (int i = 0; i < f.count(0); ++i) {
    if (f.shape(0, i).rank() != rank) return std::nullopt;
    if (f.index(0, i) == operand) return x;
    x.start += f.shape(0, i)[axis] * y.step[axis];
  }
  return std::nullopt;
}

inline constexpr const OpSchema* concat_op = &kOpSchema<Concat>;

}  // namespace coracle::internal
