// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/listed_values.h"
#include "ops/index/set_value_with_tensor.h"

namespace coracle::internal {

/// set_value whose values are attributes: they become a constant operand of set_value_with_tensor.
struct SetValue {
  static constexpr const char* kName = "set_value";
  static constexpr const char* kLegacy[] = {"set_value"};
  static constexpr Port kInputs[] = {in("x", "Input"), shape_in("starts", "starts", "", "StartsTensorList"),
                                     shape_in("ends", "ends", "", "EndsTensorList"),
                                     shape_in("steps", "steps", "", "StepsTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SetValue&, const SetValue&) = default;

  static void lower(Lowering& l) {
    auto op = l.read<SetValueWithTensor>();
    op.legacy_bounds = !l.is_pir();
    if (!l.is_pir() && l.has("ValueTensor")) {
      l.bind("Out", l.add(op, l.ports_of(kOpSchema<SetValueWithTensor>)));
      return;
    }
    PortValues ports = l.ports_of(kOpSchema<SetValue>);
    require(!ports.empty() && !ports[0].empty() && ports[0][0] != kNoValue, "set_value has no operand");
    const Fact& x = l.fact(ports[0][0]);
    const DType dtype = x.type_known() ? x.dtype : l.attribute<DType>("dtype", DType::kFloat32);
    // Early programs have one attribute for each type, of which one is not empty.
    std::optional<Tensor> values = listed_values(
        l.attributes(),
        {"values", "bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values", "fp16_values"}, dtype,
        Shape(l.attribute<Ints>("shape")));
    if (!values) fail(ErrorCode::kInvalidModel, "set_value has no values");
    ports.insert(ports.begin() + 1, {l.constant(std::move(*values))});
    l.bind("Out", l.add(op, ports));
  }
};

inline constexpr const OpSchema* set_value_op = &kOpSchema<SetValue>;

}  // namespace coracle::internal
