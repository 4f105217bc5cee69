// SPDX-License-Identifier: Apache-2.0
#include "passes/device_weights.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "graph/patch.h"
#include "ops/common/binary.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/matmul/linear.h"
#include "ops/quantize/integer_linear.h"

namespace coracle::internal {
namespace {

Tensor with_swapped_dimensions(const Tensor& w) {
  const int64_t rows = w.shape()[0];
  const int64_t columns = w.shape()[1];
  Tensor swapped = Tensor::make(DType::kInt8, Shape{columns, rows});
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      swapped.data<int8_t>()[c * rows + r] = w.data<int8_t>()[r * columns + c];
    }
  }
  return swapped;
}

class DeviceWeights {
 public:
  explicit DeviceWeights(Graph& graph) : graph_(graph) {}

  int run() {
    int count = 0;
    const std::vector<NodeId> order = graph_.order();
    for (const NodeId id : order) {
      for (const std::shared_ptr<Graph>& region : graph_.node(id).regions) count += device_weights(*region);
      count += changed(id) ? 1 : 0;
    }
    return count;
  }

 private:
  bool changed(NodeId id) {
    const Node node = graph_.node(id);
    if (const auto* linear = node.op.as<IntegerLinear>()) {
      const Value& w = graph_.value(node.input(1));
      if (linear->transpose_w || !w.is_constant() || w.fact.shape.rank() != 2) return false;
      IntegerLinear turned = *linear;
      turned.transpose_w = true;
      return replace(id, node, turned, with_swapped_dimensions);
    }
    if (!node.op.is<Linear>() && !node.op.is<Conv2dFused>() && !node.op.is<Conv2dTransposeFused>()) return false;
    const Value& w = graph_.value(node.input(1));
    if (!w.is_constant() || w.fact.dtype == DType::kFloat32) return false;
    if (graph_.fact(node.input(0)).dtype != DType::kFloat32) return false;
    return replace(id, node, node.op,
                   [this](const Tensor& t) { return converted(graph_.context(), t, DType::kFloat32); });
  }

  /// The same node with another operator and weights, which are made once.
  template <class Make>
  bool replace(NodeId id, const Node& node, const Op& op, const Make& make) {
    Patch patch(graph_, id);
    PortValues operands = operands_of(node);
    ValueId& w = operands[1].front();
    const std::pair before(w, op.is<IntegerLinear>());
    const auto known = made_.find(before);
    if (known != made_.end()) {
      w = known->second;
    } else {
      const std::string name = graph_.value(w).name;
      w = patch.constant(make(*graph_.fact(w).value), name);
    }
    const ValueId by = w;
    patch.replace(node.output(0), patch.add(op, operands));
    if (!patch.allowed()) return false;
    patch.commit();
    made_.emplace(before, by);
    return true;
  }

  Graph& graph_;
  std::map<std::pair<ValueId, bool>, ValueId> made_;  // constants, by what they were and whether they are integers
};

}  // namespace

int device_weights(Graph& graph) {
  const int count = DeviceWeights(graph).run();
  if (count > 0) {
    remove_dead(graph);
    release_unused_constants(graph);
  }
  return count;
}

}  // namespace coracle::internal
