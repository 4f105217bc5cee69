// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "graph/op.h"

namespace coracle {

/// The same elements in another shape. In `shape`, 0 copies the dimension of x at that place and one -1 takes the rest.
struct Reshape {
  static constexpr const char* kName = "reshape";
  static constexpr const char* kLegacy[] = {"reshape2", "reshape"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("shape", "shape", "Shape", "ShapeTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Reshape&, const Reshape&) = default;
};

inline void infer(const Reshape&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const std::optional<Ints> wanted = a.ints(1);
  if (!wanted) {
    require(a.has(1), "operand 'shape' is missing");
    // The length of the shape operand still tells the rank.
    const Shape& s = a.shape(1);
    const bool rank_known = s.rank_known() && s.rank() == 1 && s[0] >= 0;
    a.set(0, a.dtype(0), rank_known ? Shape::filled(static_cast<int>(s[0]), Shape::kUnknown) : Shape::unknown_rank());
    return;
  }
  Shape y(*wanted);
  int rest = -1;
  int64_t product = 1;
  bool product_known = true;
  for (int i = 0; i < y.rank(); ++i) {
    if (y[i] == -1) {
      require(rest < 0, "shape has more than one -1: ", Shape(*wanted));
      rest = i;
      continue;
    }
    require(y[i] >= 0, "shape has the negative dimension ", y[i]);
    if (y[i] == 0) {
      if (x.rank_known()) {
        require(i < x.rank(), "shape has 0 at ", i, ", but x has ", x.rank(), " dimensions");
        y[i] = x[i];
      } else {
        y[i] = Shape::kUnknown;
      }
    }
    if (y[i] < 0) {
      product_known = false;
    } else {
      product = checked_multiply(product, y[i]);
    }
  }
  if (x.known() && product_known) {
    const int64_t count = x.count();
    if (rest >= 0) {
      require(product == 0 ? count == 0 : count % product == 0, "x ", x, " cannot be reshaped to ", Shape(*wanted));
      y[rest] = product == 0 ? 0 : count / product;
    }
    require(y.count() == count, "x ", x, " cannot be reshaped to ", Shape(*wanted));
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Reshape&, ReferenceArgs& a) {
  if (a.in(0).bytes() != 0) std::memcpy(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes());
}

inline constexpr const OpRow* reshape_op = &kOpRow<Reshape>;

}  // namespace coracle
