// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/dtypes.h"
#include "graph/op.h"

namespace coracle::internal {

class ArgFacts;

/// The types that a kernel takes at one port of its operator, or gives there.
struct PortTypes {
  int8_t port = -1;  ///< -1: no port
  DTypes types;
};

/// The element types that a kernel takes and gives: constant data of its KernelDef. Ports by their numbers in the
/// operator's schema.
struct TypeRule {
  /// At ports not named below. Operands that are arguments of the operator (Port::shape_input, Port::attribute) may be
  /// of any type, unless their port is named.
  DTypes operands = DType::kFloat32;
  DTypes results = DType::kFloat32;
  std::array<PortTypes, 2> in = {};
  std::array<PortTypes, 1> out = {};
  bool alike = false;  ///< operands at ports not named are of one type
};

inline constexpr TypeRule kFloat32Rule;
/// What only moves elements, whatever they are.
inline constexpr TypeRule kAnyTypeRule = {.operands = DTypes::all(), .results = DTypes::all()};
/// What moves elements of 1, 2, 4 or 8 bytes.
inline constexpr TypeRule kRealRule = {.operands = kRealTypes, .results = kRealTypes};

/// True if the element types of a node's operands and results are those of the rule. `op` is the node's operator,
/// `in_counts` says how many operands stand at each port.
bool takes(const TypeRule& rule, const OpSchema& op, const PortCounts& in_counts, const ArgFacts& args);

/// The rule for people: "only float32", "only float32; operand 1: int32 and int64".
std::string text_of(const TypeRule& rule);

}  // namespace coracle::internal
