// SPDX-License-Identifier: Apache-2.0
#include "passes/int8_operands.h"

#include "ops/quantize/to_int8.h"

namespace coracle::internal {

ValueId Int8Operands::value_of(const Rounded& x) {
  ValueId value = rounded(x);
  for (auto move = x.moves.rbegin(); move != x.moves.rend(); ++move) {
    const Node& node = patch_.graph().node(*move);
    PortValues moved = operands_of(node);
    moved.front().front() = value;
    value = patch_.add(node.op, moved);
  }
  return value;
}

bool Int8Operands::replace(ValueId old, ValueId by) {
  patch_.replace(old, by);
  if (patch_.allowed()) made_->merge(own_);
  return patch_.allowed();
}

ValueId Int8Operands::rounded(const Rounded& x) {
  const std::tuple key(x.x, x.scale, x.rounding);
  const auto before = made_->find(key);
  if (before != made_->end()) return before->second;
  const auto [own, first] = own_.try_emplace(key, kNoValue);
  if (first) own->second = patch_.add(ToInt8{.scale = x.scale, .round_type = x.rounding}, {{x.x}});
  return own->second;
}

}  // namespace coracle::internal
