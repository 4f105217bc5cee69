// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/scale.h"

/// Elementwise operators with an activation, of programs that were optimised before they were saved.
namespace coracle::internal {

/// activation(binary(x, y)) as the attributes name it.
template <class Binary>
void lower_fused_elementwise(Lowering& l) {
  for (const char* scale : {"scale_x", "scale_y", "scale_out"}) {
    require(l.attribute<double>(scale, 1.0) == 1.0, ErrorCode::kUnsupported, scale, " is not supported");
  }
  require(l.attribute<Ints>("fused_unsqueeze2_axes").empty(), ErrorCode::kUnsupported,
          "fused_unsqueeze2_axes is not supported");
  const ValueId y = l.add(Binary{}, aligned_by_axis(l));
  l.bind("Out", add_activation(l, y, l.attribute<std::string>("fuse_activation"), l.attribute<double>("fuse_alpha"),
                               l.attribute<double>("fuse_beta")));
}

/// functor_list names a binary and a unary operator: unary(binary(x, y)) where the unary one comes first, else
/// binary(x, unary(y)).
inline void lower_compound(Lowering& l) {
  const auto names = l.attribute<Strings>("functor_list");
  require(names.size() == 2, "functor_list has ", names.size(), " elements, expected 2");
  const auto is_binary = [](const std::string& name) { return name == "elementwise_add" || name == "elementwise_mul"; };
  require(is_binary(names[0]) != is_binary(names[1]), ErrorCode::kUnsupported, "functor_list is ", names[0], ", ",
          names[1], ", expected a binary and a unary operator");
  const bool unary_last = is_binary(names[1]);
  const auto binary = [&](const PortValues& operands) {
    return names[unary_last ? 1 : 0] == "elementwise_add" ? l.add(Add{}, operands) : l.add(Multiply{}, operands);
  };
  const auto unary = [&](ValueId x) {
    const std::string& name = names[unary_last ? 0 : 1];
    if (name != "scale") return add_activation(l, x, name, 0.0, 0.0);
    const auto scale = static_cast<float>(l.attribute<double>("scale", 0.0));
    return l.add(Scale{}, {{x}, {l.constant(Tensor::scalar(scale))}});
  };
  PortValues operands = aligned_by_axis(l);
  if (unary_last) {
    const ValueId y = binary(operands);
    l.bind("IntermediateOut", y);
    l.bind("Out", unary(y));
  } else {
    l.bind("IntermediateOut", unary(l.input("Y")));
    operands[1] = {unary(operands[1].front())};
    l.bind("Out", binary(operands));
  }
}

inline constexpr Port kCompoundOutputs[] = {out("out", "Out"), optional_out("intermediate_out", "IntermediateOut")};

}  // namespace coracle::internal
