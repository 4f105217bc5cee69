// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/operands.h"
#include "ops/creation/filling.h"

namespace coracle::internal {

/// Ones on the main diagonal, zeros elsewhere; num_columns = -1 means num_rows.
struct Eye {
  static constexpr const char* kName = "eye";
  static constexpr const char* kLegacy[] = {"eye"};
  static constexpr Port kInputs[] = {shape_in("num_rows", "num_rows"), shape_in("num_columns", "num_columns")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const Eye&, const Eye&) = default;
};

inline void infer(const Eye& op, InferArgs& a) {
  require_operand(a, 0, "num_rows");
  const std::optional<int64_t> rows = axis_operand(a, 0);
  const std::optional<int64_t> columns = axis_operand(a, 1, -1);
  require(!rows || *rows >= 0, "num_rows is ", rows.value_or(0));
  Shape shape = Shape::filled(2, Shape::kUnknown);
  if (rows) shape[0] = *rows;
  if (columns && (*columns >= 0 || rows)) shape[1] = *columns >= 0 ? *columns : *rows;
  a.set(0, op.dtype, shape);
}

inline void reference(const Eye& op, ReferenceArgs& a) {
  fill(a.context(), a.out(0), 0.0, 0);
  const int64_t columns = a.out(0).shape()[1];
  visit_real(op.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0; i < std::min(a.out(0).shape()[0], columns); ++i) {
      a.out(0).data<T>()[i * columns + i] = static_cast<T>(1);
    }
  });
}

inline constexpr const OpSchema* eye_op = &kOpSchema<Eye>;

}  // namespace coracle::internal
