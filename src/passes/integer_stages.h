// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "passes/int8_operands.h"
#include "passes/pass.h"

/// The rewrites of integer_regions, each in the file of its name.
namespace coracle::internal {

/// A product or convolution of a rounded value with constant weights.
Rewrite integer_layer(const std::shared_ptr<Int8Values>& made);
/// A product of two rounded values.
Rewrite integer_matmul(const std::shared_ptr<Int8Values>& made);
/// A scale behind such a product.
Rewrite scaled_integer_matmul();

/// Why a node stays in float32; null where it is no product, or the rewrite could take it.
const char* why_no_integer_layer(const Graph& graph, NodeId id);
const char* why_no_integer_matmul(const Graph& graph, const Node& node);

}  // namespace coracle::internal
