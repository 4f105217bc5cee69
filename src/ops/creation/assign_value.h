// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/listed_values.h"

namespace coracle::internal {

/// A tensor written out as attributes. Becomes a constant.
struct AssignValue {
  static constexpr const char* kName = "assign_value";
  static constexpr const char* kLegacy[] = {"assign_value"};
  static constexpr Port kInputs[] = {optional_in("output", "")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const AssignValue&, const AssignValue&) = default;

  /// Values stand in `values`, or in the list of their type in files before 2.5.
  static void lower(Lowering& l) {
    const Shape shape(l.attribute<Ints>("shape"));
    const DType dtype = l.attribute<DType>("dtype", DType::kFloat32);
    std::optional<Tensor> values = listed_values(
        l.attributes(), {"values", "fp32_values", "int32_values", "int64_values", "bool_values", "fp64_values"}, dtype,
        shape);
    if (!values) {
      values = Tensor::make(dtype, shape);
      require(shape.count() == 0, "there are no values for shape ", shape);
    }
    l.bind("Out", l.constant(std::move(*values)));
  }
};

inline constexpr const OpSchema* assign_value_op = &kOpSchema<AssignValue>;

}  // namespace coracle::internal
