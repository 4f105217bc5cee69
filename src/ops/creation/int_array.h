// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// Integer tensors of at most one dimension, laid end to end as one row of int64: what a list of such tensors in a file
/// stands for.
struct IntArray {
  static constexpr const char* kName = "int_array";
  static constexpr Port kInputs[] = {list_in("x", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  friend bool operator==(const IntArray&, const IntArray&) = default;
};

inline void infer(const IntArray&, InferArgs& a) {
  int64_t count = 0;
  for (int i = 0; i < a.count(0); ++i) {
    const Shape& x = a.shape(0, i);
    require(!x.rank_known() || x.rank() <= 1, "element ", i, " of a list of integers is ", x, ", expected at most one ",
            "dimension");
    // Of several elements each is one number; a single one may be a whole row.
    const int64_t n = x.known() ? x.count() : (a.count(0) > 1 ? 1 : Shape::kUnknown);
    count = count < 0 || n < 0 ? Shape::kUnknown : count + n;
  }
  a.set(0, DType::kInt64, Shape{count});
}

inline void reference(const IntArray&, ReferenceArgs& a) {
  std::vector<int64_t> row;
  for (int i = 0; i < a.count(0); ++i) {
    const std::vector<int64_t> part = a.in(0, i).integers(a.context());
    row.insert(row.end(), part.begin(), part.end());
  }
  if (a.out(0).empty_handle()) a.out(0) = a.make(DType::kInt64, Shape{static_cast<int64_t>(row.size())});
  require(a.out(0).count() == static_cast<int64_t>(row.size()), ErrorCode::kRunFailure, "a list of integers has ",
          row.size(), " elements, expected ", a.out(0).count());
  std::copy(row.begin(), row.end(), a.out(0).data<int64_t>());
}

inline constexpr const OpSchema* int_array_op = &kOpSchema<IntArray>;

}  // namespace coracle::internal
