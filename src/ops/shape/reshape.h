// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/copy_bytes.h"
#include "graph/lowering.h"

namespace coracle::internal {

/// The same elements in another shape. In `shape`, 0 copies the dimension of x at that place and one -1 takes the rest.
struct Reshape {
  static constexpr const char* kName = "reshape";
  static constexpr const char* kLegacy[] = {"reshape2", "reshape"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("shape", "shape", "Shape", "ShapeTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  static constexpr bool kReshapes = true;
  static constexpr LodRule kLod = LodRule::kFirst;
  bool keeps_zeros = false;  ///< PIR: in `shape`, 0 is a size where x has no elements
  void attributes(AttributeVisitor& visit) { visit("keeps_zeros", keeps_zeros); }
  friend bool operator==(const Reshape&, const Reshape&) = default;
  static void lower(Lowering& l);
};

/// What is left for -1 in a shape with zeros, for an x without elements: the other sizes of both make as many elements.
inline int64_t rest_beside_zeros(const Shape& x, const Ints& wanted) {
  int64_t of_x = 1;
  int64_t of_y = 1;
  for (int64_t d : x) of_x = checked_multiply(of_x, d == 0 ? 1 : d);
  for (int64_t d : wanted) of_y = checked_multiply(of_y, d <= 0 ? 1 : d);
  require(of_x % of_y == 0, "x ", x, " cannot be reshaped to ", Shape(wanted));
  return of_x / of_y;
}

inline void infer(const Reshape& op, InferArgs& a) {
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
  const bool zeros = op.keeps_zeros && x.known() && x.count() == 0 && std::ranges::find(*wanted, 0) != wanted->end();
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
    if (y[i] == 0 && !zeros) {
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
      y[rest] = zeros ? rest_beside_zeros(x, *wanted) : product == 0 ? 0 : count / product;
    }
    require(y.count() == count, "x ", x, " cannot be reshaped to ", Shape(*wanted));
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Reshape&, ReferenceArgs& a) { copy_bytes(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes()); }

inline void Reshape::lower(Lowering& l) {
  if (!l.is_pir()) return l.lower_by_ports(kOpSchema<Reshape>);
  l.bind("Out", l.add(Reshape{.keeps_zeros = true}, l.ports_of(kOpSchema<Reshape>)));
}

inline constexpr const OpSchema* reshape_op = &kOpSchema<Reshape>;

}  // namespace coracle::internal
