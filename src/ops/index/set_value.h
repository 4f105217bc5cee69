// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "graph/lowering.h"
#include "ops/index/set_value_with_tensor.h"

namespace coracle {

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
      l.bind("Out", l.add(op, l.ports_of(kOpRow<SetValueWithTensor>)));
      return;
    }
    PortValues ports = l.ports_of(kOpRow<SetValue>);
    require(!ports.empty() && !ports[0].empty() && ports[0][0] != kNoValue, "set_value has no operand");
    const Fact& x = l.fact(ports[0][0]);
    const DType dtype = x.type_known() ? x.dtype : l.attribute<DType>("dtype", DType::kFloat32);
    const ValueId values = l.constant(attribute_values(l, dtype));
    ports.insert(ports.begin() + 1, {values});
    l.bind("Out", l.add(op, ports));
  }

  /// The values as a tensor of `dtype`. Early programs have one attribute for each type, of which one is not empty.
  static Tensor attribute_values(const Lowering& l, DType dtype) {
    const Ints shape = l.attribute<Ints>("shape");
    for (const char* name :
         {"values", "bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values", "fp16_values"}) {
      const AttributeValue* found = l.attributes().find(name);
      if (found == nullptr) continue;
      const bool whole = std::holds_alternative<Ints>(*found);
      const Ints integers = whole ? std::get<Ints>(*found) : Ints{};
      const Floats reals = whole ? Floats{} : l.attribute<Floats>(name);
      const size_t count = whole ? integers.size() : reals.size();
      if (count == 0) continue;
      Tensor values = Tensor::make(dtype, Shape(shape));
      require(static_cast<size_t>(values.count()) == count, "set_value has ", count, " values for shape ",
              Shape(shape));
      visit_real(dtype, [&](auto* p) {
        using T = std::remove_pointer_t<decltype(p)>;
        for (size_t i = 0; i < count; ++i) {
          values.data<T>()[i] = whole ? convert<T>(integers[i]) : convert<T>(reals[i]);
        }
      });
      return values;
    }
    fail(ErrorCode::kInvalidModel, "set_value has no values");
  }
};

inline constexpr const OpRow* set_value_op = &kOpRow<SetValue>;

}  // namespace coracle
