// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "graph/lowering.h"

namespace coracle {

/// A tensor written out as attributes. Becomes a constant.
struct AssignValue {
  static constexpr const char* kName = "assign_value";
  static constexpr const char* kLegacy[] = {"assign_value"};
  static constexpr Port kInputs[] = {optional_in("output", "")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const AssignValue&, const AssignValue&) = default;

  /// Values stand in `values`, or in the list of their type in files before 2.5.
  static void lower(Lowering& l) {
    const AttributeMap& attributes = l.attributes();
    const Shape shape(attributes.get<Ints>("shape"));
    Tensor t = Tensor::make(attributes.get<DType>("dtype", DType::kFloat32), shape);
    for (const char* name : {"values", "fp32_values", "int32_values", "int64_values", "bool_values", "fp64_values"}) {
      const AttributeValue* list = attributes.find(name);
      if (list == nullptr) continue;
      const auto* ints = std::get_if<Ints>(list);
      const Floats reals = ints == nullptr ? attributes.get<Floats>(name) : Floats{};
      const size_t count = ints != nullptr ? ints->size() : reals.size();
      if (count == 0) continue;
      require(static_cast<int64_t>(count) == shape.count(), name, " has ", count, " elements for shape ", shape);
      visit_real(t.dtype(), [&](auto* p) {
        using T = std::remove_pointer_t<decltype(p)>;
        for (size_t i = 0; i < count; ++i) {
          t.data<T>()[i] = ints != nullptr ? convert<T>((*ints)[i]) : convert<T>(reals[i]);
        }
      });
      l.bind("Out", l.constant(std::move(t)));
      return;
    }
    require(shape.count() == 0, "there are no values for shape ", shape);
    l.bind("Out", l.constant(std::move(t)));
  }
};

inline constexpr const OpRow* assign_value_op = &kOpRow<AssignValue>;

}  // namespace coracle
