// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "passes/fake_quantization.h"
#include "passes/integer_stages.h"
#include "passes/passes.h"

/// Products and convolutions of simulated integers become those of integers. Operands may be rounded by
/// fake_quantize_dequantize, by dequantize_linear(quantize_linear(x)), or by operators that leave integers in float32,
/// which are brought back behind the product (fake_quantize_range_abs_max and its like). What only moves elements
/// between the rounding and the product moves integers. The simulation has a pass over the memory for each rounding, so
/// even a single product pays.
namespace coracle::internal {
namespace {

int make_integer(Graph& graph, RewriteBudget& budget) {
  if (!has_fake_quantization(graph)) return 0;
  const auto made = std::make_shared<Int8Values>();
  return run_rewrites({integer_layer(made), integer_matmul(made), scaled_integer_matmul()}, WalkFrom::kBegin, graph,
                      budget);
}

/// Why products of a model that simulates integers stay in float32.
std::vector<std::string> why_in_float32(const Graph& graph) {
  std::vector<std::string> reasons(graph.node_count());
  if (!has_fake_quantization(graph)) return reasons;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op.schema().flops == nullptr || node.op.is<IntegerLinear>() || node.op.is<IntegerConv2d>()) continue;
    const char* reason = node.op.is<Matmul>() ? why_no_integer_matmul(graph, node) : why_no_integer_layer(graph, id);
    reasons[index(id)] = reason != nullptr ? reason : "the rewrite integer_regions was left out";
  }
  return reasons;
}

}  // namespace

Pass integer_regions() {
  return {
      .name = "integer_regions", .function = make_integer, .makes = PassMakes::kIntegers, .why_left = why_in_float32};
}

}  // namespace coracle::internal
