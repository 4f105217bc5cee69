// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "graph/op.h"

namespace coracle::internal {

/// The bytes of x as elements of another type; the last dimension grows or shrinks with their size.
struct ViewDtype {
  static constexpr const char* kName = "view_dtype";
  static constexpr const char* kLegacy[] = {"view_dtype"};
  static constexpr Port kInputs[] = {in("input", "input")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const ViewDtype&, const ViewDtype&) = default;
};

inline void infer(const ViewDtype& op, InferArgs& a) {
  Shape y = a.shape(0);
  const auto from = static_cast<int64_t>(size_of(a.dtype(0)));
  const auto to = static_cast<int64_t>(size_of(op.dtype));
  if (y.rank_known() && from != to) {
    require(y.rank() > 0, "x is a scalar of ", a.dtype(0), ", which cannot become ", op.dtype);
    int64_t& last = y[y.rank() - 1];
    require(last < 0 || last * from % to == 0, "x is ", a.shape(0), " of ", a.dtype(0), ", which cannot become ",
            op.dtype);
    if (last >= 0) last = last * from / to;
  }
  a.set(0, op.dtype, y);
}

inline void reference(const ViewDtype&, ReferenceArgs& a) {
  copy_bytes(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes());
}

inline constexpr const OpSchema* view_dtype_op = &kOpSchema<ViewDtype>;

}  // namespace coracle::internal
