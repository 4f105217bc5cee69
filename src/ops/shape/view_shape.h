// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"

namespace coracle::internal {

/// The same elements with the dimensions `dims`, one of which may be -1.
struct ViewShape {
  static constexpr const char* kName = "view_shape";
  static constexpr const char* kLegacy[] = {"view_shape"};
  static constexpr Port kInputs[] = {in("input", "input")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr bool kReshapes = true;
  Ints dims;
  void attributes(AttributeVisitor& visit) { visit("dims", dims); }
  friend bool operator==(const ViewShape&, const ViewShape&) = default;
};

inline void infer(const ViewShape& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  Shape y(op.dims);
  int rest = -1;
  int64_t product = 1;
  for (int i = 0; i < y.rank(); ++i) {
    require(y[i] >= 0 || (y[i] == -1 && rest < 0), "dims ", y, " are not valid");
    if (y[i] < 0) {
      rest = i;
    } else {
      product = checked_multiply(product, y[i]);
    }
  }
  if (x.known()) {
    if (rest >= 0 && product > 0) y[rest] = x.count() / product;
    require(y.known() && y.count() == x.count(), "input ", x, " cannot be seen as ", Shape(op.dims));
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const ViewShape&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* view_shape_op = &kOpSchema<ViewShape>;

}  // namespace coracle::internal
