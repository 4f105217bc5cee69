// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// Dimension i of the result is dimension perm[i] of x.
struct Transpose {
  static constexpr const char* kName = "transpose";
  static constexpr const char* kLegacy[] = {"transpose2", "transpose"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  Ints perm;
  void attributes(AttributeVisitor& visit) { visit("perm", perm, "axis"); }
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

inline void infer(const Transpose& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const int rank = static_cast<int>(op.perm.size());
  a.set(1, a.dtype(0), Shape{0});
  require(!x.rank_known() || x.rank() == rank, "perm ", Shape(op.perm), " does not fit x ", x);
  Shape y = Shape::filled(rank, Shape::kUnknown);
  bool seen[Shape::kMaxRank] = {};
  for (int i = 0; i < rank; ++i) {
    const int from = normalize_axis(op.perm[static_cast<size_t>(i)], rank, "perm");
    require(!seen[from], "perm ", Shape(op.perm), " has ", from, " twice");
    seen[from] = true;
    if (x.rank_known()) y[i] = x[from];
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Transpose& op, ReferenceArgs& a) {
  const ElementWalk all = row_major(a.shape(0));
  ElementWalk read;
  for (int64_t p : op.perm) {
    const int from = normalize_axis(p, all.rank);
    read.push_back(all.size[from], all.step[from]);
  }
  gather_elements(a.context(), a.in(0), read, a.out(0));
}

/// A view of the memory of x, with its dimensions in another order.
inline std::optional<StridedView> view_of_result(const Transpose& op, const NodeFacts& f, const StridedView& x, int) {
  const int rank = f.shape(0).rank();
  StridedView y{.start = x.start};
  for (int d = 0; d < rank; ++d) y.step[d] = x.step[normalize_axis(op.perm[static_cast<size_t>(d)], rank)];
  return y;
}

inline std::optional<StridedView> view_of_operand(const Transpose& op, const NodeFacts& f, const StridedView& y, int) {
  const int rank = f.shape(0).rank();
  StridedView x{.start = y.start};
  for (int d = 0; d < rank; ++d) x.step[normalize_axis(op.perm[static_cast<size_t>(d)], rank)] = y.step[d];
  return x;
}

inline constexpr const OpSchema* transpose_op = &kOpSchema<Transpose>;

}  // namespace coracle::internal
