// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// Elements met by steps of `stride` (in elements) from `offset` (in bytes) on, in the row-major memory of the input.
struct AsStrided {
  static constexpr const char* kName = "as_strided";
  static constexpr const char* kLegacy[] = {"as_strided"};
  static constexpr Port kInputs[] = {in("input", "input")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  Ints dims;
  Ints stride;
  int64_t offset = 0;
  void attributes(AttributeVisitor& visit) {
    visit("dims", dims);
    visit("stride", stride);
    visit("offset", offset);
  }
  friend bool operator==(const AsStrided&, const AsStrided&) = default;
};

inline void infer(const AsStrided& op, InferArgs& a) {
  const Shape y(op.dims);
  require(op.stride.size() == op.dims.size() && op.offset >= 0, "as_strided has ", op.dims.size(), " dims, ",
          op.stride.size(), " strides and offset ", op.offset);
  int64_t last = op.offset / static_cast<int64_t>(size_of(a.dtype(0)));
  bool empty = false;
  for (int i = 0; i < y.rank(); ++i) {
    const int64_t stride = op.stride[static_cast<size_t>(i)];
    require(y[i] >= 0 && stride >= 0, "as_strided has dims ", y, " and strides ", Shape(op.stride),
            ", expected none negative");
    empty = empty || y[i] == 0;
    if (y[i] > 0) last = checked_add(last, checked_multiply(y[i] - 1, stride));
  }
  require(empty || !a.shape(0).known() || last < a.shape(0).count(), "as_strided reaches element ", last,
          " of an input ", a.shape(0));
  a.set(0, a.dtype(0), y);
}

inline void reference(const AsStrided& op, ReferenceArgs& a) {
  ElementWalk read;
  for (size_t i = 0; i < op.dims.size(); ++i) read.push_back(op.dims[i], op.stride[i]);
  read.start = op.offset / static_cast<int64_t>(size_of(a.in(0).dtype()));
  gather_elements(a.context(), a.in(0), read, a.out(0));
}

inline constexpr const OpSchema* as_strided_op = &kOpSchema<AsStrided>;

}  // namespace coracle::internal
