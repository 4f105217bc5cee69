// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/engine.h"

/// float16 and bfloat16 ("half") in blocks: engines are given float32. Nodes on half values are computed in float32
/// natively too (plan/upcast.h), so a block holds them as nodes on float32, with casts of its half operands before it
/// and of its half results behind it.
namespace coracle::internal {

/// Whether an operand or result of a node is half.
bool has_half(const Graph& graph, const Node& node);

/// A half tensor in float32; others as they are.
Tensor in_float32(const Tensor& tensor);

/// Why an engine does not take a node with half values in float32; empty if it does.
std::string refusal_in_float32(const Engine& engine, const Graph& graph, const Node& node);

}  // namespace coracle::internal
