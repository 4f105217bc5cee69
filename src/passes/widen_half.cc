// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/dtypes.h"
#include "ops/elementwise/cast.h"
#include "ops/index/embedding.h"
#include "ops/index/gather.h"
#include "ops/index/lookup_table.h"
#include "ops/movement/transpose.h"
#include "passes/passes.h"

/// What a model computes in float16 or bfloat16 is computed in float32, as planning would have it, so that later
/// rewrites meet float32:
///   f(a, b)  ->  cast(f(cast(a), cast(b)))
/// where the outer cast gives the declared type to whoever still wants it, and no pair of casts lies between two such
/// operators. Constants stay as they are behind their casts. What only moves elements moves them as they stand.
namespace coracle::internal {
namespace {

/// Operands of a few elements may say something about the results' shapes.
constexpr int64_t kFewElements = 64;

bool is_half(const Fact& f) { return kHalfTypes.has(f.dtype); }

Fact widened(const Fact& f) {
  Fact wide = f;
  if (!is_half(f)) return wide;
  wide.dtype = DType::kFloat32;
  wide.value = nullptr;
  if (f.value != nullptr && f.value->count() <= kFewElements) {
    Tensor t = Tensor::make(DType::kFloat32, f.shape);
    for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = static_cast<float>(f.value->number(i));
    wide.value = std::make_shared<const Tensor>(std::move(t));
  }
  return wide;
}

/// True if a node has half operands and gives for float32 ones the same results in float32.
bool can_widen(const Graph& graph, const Node& node) {
  if (!node.op.schema().pure || !node.regions.empty()) return false;
  std::vector<Fact> in;
  for (ValueId v : node.inputs) in.push_back(widened(graph.fact(v)));
  const auto is_half_value = [&](ValueId v) { return is_half(graph.fact(v)); };
  const auto is_array = [&](ValueId v) { return graph.fact(v).is_array; };
  if (std::none_of(node.inputs.begin(), node.inputs.end(), is_half_value)) return false;
  if (std::any_of(node.inputs.begin(), node.inputs.end(), is_array)) return false;
  if (std::any_of(node.outputs.begin(), node.outputs.end(), is_array)) return false;
  std::vector<const Fact*> args;
  for (const Fact& f : in) args.push_back(&f);
  try {
    const std::vector<Fact> out = infer_node(graph.context(), node, args);
    return std::equal(out.begin(), out.end(), node.outputs.begin(), node.outputs.end(), [&](const Fact& w, ValueId v) {
      const Fact& n = graph.fact(v);
      return w.dtype == (is_half(n) ? DType::kFloat32 : n.dtype) && w.shape == n.shape && w.is_array == n.is_array;
    });
  } catch (const Error&) {
    return false;  // the operator insists on half
  }
}

/// Results have elements of the operands and no others.
bool keeps_elements(const Node& node) {
  const OpSchema& schema = node.op.schema();
  return schema.reshapes || schema.view_of_result != nullptr || schema.view_of_operand != nullptr ||
         node.op.is<Transpose>() || node.op.is<Embedding>() || node.op.is<LookupTable>() || node.op.is<Gather>();
}

/// The float32 values of half values.
using WideValues = std::map<ValueId, ValueId>;

bool widen(Graph& graph, NodeId id, WideValues& wide, RewriteBudget& budget) {
  const Node node = graph.node(id);
  Patch patch(graph, id);
  WideValues made;
  PortValues operands = operands_of(node);
  for (std::vector<ValueId>& port : operands) {
    for (ValueId& v : port) {
      if (!is_half(graph.fact(v))) continue;
      const ValueId narrow = v;
      if (const auto it = wide.find(narrow); it != wide.end()) {
        v = it->second;
      } else if (const auto mine = made.find(narrow); mine != made.end()) {
        v = mine->second;
      } else {
        v = patch.add(Cast{DType::kFloat32}, {{narrow}});
        made.emplace(narrow, v);
      }
    }
  }
  const NodeId computed = patch.add_node(node.op, operands, node.output_counts);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId old = node.outputs[i];
    const ValueId result = graph.node(computed).outputs[i];
    if (!is_half(graph.fact(old))) {
      patch.replace(old, result);
      continue;
    }
    const ValueId narrow = patch.add(Cast{graph.fact(old).dtype}, {{result}});
    patch.replace(old, narrow);
    made.emplace(narrow, result);
  }
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  wide.merge(made);
  return true;
}

int widen_all(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  WideValues wide;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    // A cast of what is given stays: it is what the others begin with.
    const bool stays = node.op.is<Cast>() || keeps_elements(node);
    const bool stands_wide =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return wide.contains(v); });
    if (stays && !stands_wide) continue;
    if (can_widen(graph, node) && widen(graph, id, wide, budget)) ++count;
  }
  if (count > 0) remove_dead(graph);
  return count;
}

}  // namespace

Pass widen_half() { return {.name = "widen_half", .function = widen_all, .makes = PassMakes::kStoredWeights}; }

}  // namespace coracle::internal
