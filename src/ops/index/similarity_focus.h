// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// A mask of x [N, A, B, C]. For each of `indexes` on `axis` (1 to 3) the largest elements of that slice are taken, one
/// after the other, as long as none shares a row or a column of the slice with one taken before; the mask is 1 there,
/// along the whole of the axis, for any of the indexes.
struct SimilarityFocus {
  static constexpr const char* kName = "similarity_focus";
  static constexpr const char* kLegacy[] = {"similarity_focus"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int axis = 1;
  Ints indexes;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("indexes", indexes);
  }
  friend bool operator==(const SimilarityFocus&, const SimilarityFocus&) = default;
};

inline void infer(const SimilarityFocus& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.axis >= 1 && op.axis <= 3, "axis is ", op.axis, ", expected 1, 2 or 3");
  require(!op.indexes.empty(), "indexes are empty");
  require(!x.rank_known() || x.rank() == 4, "x is ", x, ", expected 4 dimensions");
  for (int64_t index : op.indexes) {
    require(index >= 0 && (!x.rank_known() || x[op.axis] < 0 || index < x[op.axis]), "indexes are ", Shape(op.indexes),
            ", but x is ", x, " and axis ", op.axis);
  }
  a.set(0, a.dtype(0), x);
}

inline void reference(const SimilarityFocus& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const Buffer<double> x = a.doubles(0);
  Buffer<double> mask(x.size(), 0.0, a.context());
  const int row_axis = op.axis == 1 ? 2 : 1;
  const int column_axis = op.axis == 3 ? 2 : 3;
  const auto step = [&](int axis) { return s.count(axis + 1, 4); };
  const int64_t columns = s[column_axis];
  const int64_t slice = s[row_axis] * columns;
  std::vector<int64_t> order(static_cast<size_t>(slice));
  for (int64_t n = 0; n < s[0]; ++n) {
    for (int64_t index : op.indexes) {
      const auto place = [&](int64_t i, int64_t along) {
        return static_cast<size_t>(n * step(0) + i / columns * step(row_axis) + i % columns * step(column_axis) +
                                   along * step(op.axis));
      };
      // What is not a number is smaller than all numbers, so that there is an order.
      const auto larger = [&](int64_t p, int64_t q) {
        const double first = x[place(p, index)];
        const double second = x[place(q, index)];
        return first > second || (!std::isnan(first) && std::isnan(second));
      };
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), larger);
      std::vector<bool> row_taken(static_cast<size_t>(s[row_axis]));
      std::vector<bool> column_taken(static_cast<size_t>(columns));
      for (int64_t i : order) {
        const auto row = static_cast<size_t>(i / columns);
        const auto column = static_cast<size_t>(i % columns);
        if (row_taken[row] || column_taken[column]) continue;
        row_taken[row] = column_taken[column] = true;
        for (int64_t along = 0; along < s[op.axis]; ++along) mask[place(i, along)] = 1;
      }
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(mask));
}

inline constexpr const OpSchema* similarity_focus_op = &kOpSchema<SimilarityFocus>;

}  // namespace coracle::internal
