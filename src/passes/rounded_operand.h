// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"
#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// How a value was rounded, and what an integer of it stands for.
struct Rounded {
  ValueId x = kNoValue;
  float scale = 0;
  QuantizationRounding rounding = QuantizationRounding::kHalfToEven;
  double step = 0;
  std::vector<NodeId> moves = {};  ///< what moves its elements afterwards, the last first
};

/// Of a value that a product reads.
struct RoundedOperand {
  const char* reason = nullptr;  ///< why there are no integers
  Rounded x = {};
};

/// How a value was rounded to steps of one constant scale, which are brought back by operators (or left to the
/// product's epilogue) and only moved afterwards.
RoundedOperand rounded_operand(const Graph& graph, ValueId value);

}  // namespace coracle::internal
