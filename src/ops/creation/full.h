// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "graph/lowering.h"
#include "ops/creation/filling.h"
#include "ops/creation/full_with_tensor.h"

namespace coracle::internal {

/// A tensor of a fixed shape, every element the same number.
struct Full {
  static constexpr const char* kName = "full";
  static constexpr const char* kLegacy[] = {"fill_constant"};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints shape;
  double value = 0.0;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> exact;  ///< the value where a double does not hold it
  void attributes(AttributeVisitor& visit) {
    visit("shape", shape);
    visit("value", value);
    visit("dtype", dtype);
    Ints more;
    if (exact) more.push_back(*exact);
    visit("exact", more);
    exact.reset();
    if (!more.empty()) exact = more.front();
  }
  friend bool operator==(const Full&, const Full&) = default;

  /// ProgramDesc: shape from ShapeTensor, ShapeTensorList or the attribute; value from ValueTensor, str_value or value.
  static void lower(Lowering& l) {
    Full op;
    const AttributeMap& attributes = l.attributes();
    op.dtype = attributes.get<DType>("dtype", DType::kFloat32);
    op.value = attributes.get<double>("value", 0.0);
    if (const auto* whole_value = attributes.find("value"); whole_value != nullptr) {
      if (const auto* i = std::get_if<int64_t>(whole_value)) op.exact = *i;
    }
    if (!l.is_pir()) {
      const auto written = attributes.get<std::string>("str_value");
      if (!written.empty()) {
        char* end = nullptr;
        op.value = std::strtod(written.c_str(), &end);
        require(end != written.c_str() && *end == '\0', "str_value is '", written, "', expected a number");
        const long long exact_value = std::strtoll(written.c_str(), &end, 10);
        if (*end == '\0') op.exact = exact_value;
      }
    }
    if (op.exact && static_cast<double>(*op.exact) == op.value && whole(op.value) == *op.exact) op.exact.reset();
    PortValues ports = l.ports_of(kOpSchema<FullWithTensor>);
    const ValueId value = l.input("ValueTensor");
    const bool shaped = l.has("ShapeTensor") || l.has("ShapeTensorList");
    if (!l.is_pir() && (shaped || value != kNoValue)) {
      FullWithTensor general;
      general.dtype = op.dtype;
      Full one = op;
      one.shape = {};
      if (value == kNoValue) ports[0] = {l.add(one, {})};
      l.bind("Out", l.add(general, ports));
      return;
    }
    op.shape = attributes.get<Ints>("shape");
    l.bind("Out", l.add(op, {}));
  }
};

inline void infer(const Full& op, InferArgs& a) {
  const Shape shape(op.shape);
  require(shape.known(), "shape ", shape, " is not complete");
  a.set(0, op.dtype, shape);
}

inline void reference(const Full& op, ReferenceArgs& a) {
  fill(a.context(), a.out(0), op.value, op.exact ? *op.exact : whole(op.value));
}

inline constexpr const OpSchema* full_op = &kOpSchema<Full>;

}  // namespace coracle::internal
