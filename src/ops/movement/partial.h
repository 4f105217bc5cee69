// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"

namespace coracle::internal {

/// Attributes of operators on columns start_index to start_index + length (-1: to the end) of several matrices.
struct PartialOperator {
  int start_index = 0;
  int length = -1;
  void attributes(AttributeVisitor& visit) {
    visit("start_index", start_index);
    visit("length", length);
  }
  friend bool operator==(const PartialOperator&, const PartialOperator&) = default;
};

/// First column and number of columns taken of `columns`.
inline std::pair<int64_t, int64_t> partial_columns(const PartialOperator& op, int64_t columns) {
  const int64_t start = op.start_index < 0 ? op.start_index + columns : op.start_index;
  const int64_t length = op.length < 0 ? columns - start : op.length;
  require(start >= 0 && length >= 0 && start <= columns - length, "columns ", start, " to ", start + length,
          " of a matrix with ", columns);
  return {start, length};
}

/// Rows and columns that all operands share (unknown where not known).
inline Shape partial_shape(const InferArgs& a) {
  Shape x = Shape::filled(2, Shape::kUnknown);
  for (int i = 0; i < a.count(0); ++i) x = met(x, a.shape(0, i));
  return x;
}

}  // namespace coracle::internal
