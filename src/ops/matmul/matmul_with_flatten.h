// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/matmul/matrix_product.h"

namespace coracle::internal {

/// The product of x seen as a matrix (dimensions before x_num_col_dims are the rows) and y seen likewise; the result
/// has x's leading and y's trailing dimensions.
struct MatmulWithFlatten {
  static constexpr const char* kName = "matmul_with_flatten";
  static constexpr const char* kLegacy[] = {"mul"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int x_num_col_dims = 1;
  int y_num_col_dims = 1;
  void attributes(AttributeVisitor& visit) {
    visit("x_num_col_dims", x_num_col_dims);
    visit("y_num_col_dims", y_num_col_dims);
  }
  friend bool operator==(const MatmulWithFlatten&, const MatmulWithFlatten&) = default;
};

inline void infer(const MatmulWithFlatten& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  Shape result = Shape::unknown_rank();
  if (x.rank_known() && y.rank_known()) {
    require(op.x_num_col_dims > 0 && op.x_num_col_dims < x.rank(), "x_num_col_dims is ", op.x_num_col_dims, " for x ",
            x);
    require(op.y_num_col_dims > 0 && op.y_num_col_dims < y.rank(), "y_num_col_dims is ", op.y_num_col_dims, " for y ",
            y);
    if (x.known() && y.known()) {
      require(x.count(op.x_num_col_dims, x.rank()) == y.count(0, op.y_num_col_dims), "x ", x, " does not fit y ", y);
    }
    result = Shape(std::span(x.begin(), static_cast<size_t>(op.x_num_col_dims)));
    for (int d = op.y_num_col_dims; d < y.rank(); ++d) result.push_back(y[d]);
  }
  a.set(0, promote(a.dtype(0), a.dtype(1)), result);
}

inline void reference(const MatmulWithFlatten& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  const DType dtype = a.out(0).dtype();
  const Shape rows{x.count(0, op.x_num_col_dims), x.count(op.x_num_col_dims, x.rank())};
  const Shape columns{y.count(0, op.y_num_col_dims), y.count(op.y_num_col_dims, y.rank())};
  Tensor out = a.out(0).reshaped(Shape{rows[0], columns[1]});
  reference_matrix_product(a.context(), converted(a.context(), a.in(0), dtype).reshaped(rows),
                           converted(a.context(), a.in(1), dtype).reshaped(columns), false, false, 1.0, out);
}

inline constexpr const OpSchema* matmul_with_flatten_op = &kOpSchema<MatmulWithFlatten>;

}  // namespace coracle::internal
