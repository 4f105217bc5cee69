// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/partial.h"

namespace coracle::internal {

/// The same columns of every matrix, side by side.
struct PartialConcat : PartialOperator {
  static constexpr const char* kName = "partial_concat";
  static constexpr const char* kLegacy[] = {"partial_concat"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const PartialConcat&, const PartialConcat&) = default;
};

inline void infer(const PartialConcat& op, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  Shape y = partial_shape(a);
  if (y[1] >= 0) y[1] = checked_multiply(partial_columns(op, y[1]).second, a.count(0));
  a.set(0, dtype, y);
}

inline void reference(const PartialConcat& op, ReferenceArgs& a) {
  const int64_t rows = a.shape(0)[0];
  const int64_t columns = a.shape(0)[1];
  const auto [start, length] = partial_columns(op, columns);
  Tensor part = a.make(a.in(0).dtype(), Shape{rows, length});
  for (int i = 0; i < a.count(0); ++i) {
    copy_rows_out(a.context(), a.in(0, i), part, rows, length, columns, start);
    copy_rows_in(a.context(), part, a.out(0), rows, length, length * a.count(0), i * length);
  }
}

inline constexpr const OpSchema* partial_concat_op = &kOpSchema<PartialConcat>;

}  // namespace coracle::internal
