// SPDX-License-Identifier: Apache-2.0
#include "passes/half_tensors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "base/half.h"
#include "graph/patch.h"
#include "ops/elementwise/cast.h"

namespace coracle::internal {
namespace {

constexpr float kLargest = 65504.0F;  // of float16

bool is_wide(const Fact& f) { return f.dtype == DType::kFloat32 && !f.is_array; }

Tensor half_of(const Tensor& wide) {
  Tensor half = Tensor::make(DType::kFloat16, wide.shape());
  const float* from = wide.data<float>();
  auto* to = half.data<uint16_t>();
  for (int64_t i = 0; i < wide.count(); ++i) {
    const float x = from[i];
    to[i] = Float16::from_float(std::isfinite(x) ? std::clamp(x, -kLargest, kLargest) : x);
  }
  return half;
}

/// Which operands of a node become float16, by position; empty where it stays as it is.
using Narrowed = std::vector<bool>;

class HalfTensors {
 public:
  HalfTensors(Graph& graph, const TakesTypes& takes) : graph_(graph), takes_(takes) {}

  int run() {
    find();
    int count = 0;
    const std::vector<NodeId> order = graph_.order();
    for (size_t i = 0; i < order.size(); ++i) {
      const NodeId id = order[i];
      for (const std::shared_ptr<Graph>& region : graph_.node(id).regions) count += half_tensors(*region, takes_);
      if (chosen_[i] && narrow(id, narrowed_[i])) ++count;
    }
    return count;
  }

 private:
  /// Those that may be, and of them the products and what lies between two.
  void find() {
    const std::vector<NodeId>& order = graph_.order();
    narrowed_.resize(order.size());
    chosen_.resize(order.size());
    std::vector<bool> follows(graph_.value_count());  // a product
    std::vector<bool> leads(graph_.value_count());    // to one
    const auto any = [](const std::vector<bool>& flags, const std::vector<ValueId>& values) {
      return std::any_of(values.begin(), values.end(), [&](ValueId v) { return flags[index(v)]; });
    };
    const auto mark = [](std::vector<bool>& flags, const std::vector<ValueId>& values) {
      for (ValueId v : values) flags[index(v)] = true;
    };
    for (size_t i = 0; i < order.size(); ++i) {
      const Node& node = graph_.node(order[i]);
      narrowed_[i] = narrowed(node);
      if (narrowed_[i].empty()) continue;
      chosen_[i] = is_product(node) || any(follows, node.inputs);
      if (chosen_[i]) mark(follows, node.outputs);
    }
    for (size_t i = order.size(); i-- > 0;) {
      const Node& node = graph_.node(order[i]);
      if (narrowed_[i].empty()) continue;
      const bool is_between = is_product(node) || any(leads, node.outputs);
      if (is_between) mark(leads, node.inputs);
      chosen_[i] = chosen_[i] && is_between;
    }
  }

  static bool is_product(const Node& node) { return node.op.schema().flops != nullptr; }

  Narrowed narrowed(const Node& node) const {
    const OpSchema& schema = node.op.schema();
    if (!schema.pure || schema.quantizes || !node.regions.empty()) return {};
    Narrowed all(node.inputs.size());
    Narrowed first(node.inputs.size());  // of operators whose other operands are always float32
    size_t at = 0;
    for (size_t port = 0; port < node.input_counts.size(); ++port) {
      const Port& p = schema.inputs[port];
      const bool is_argument = p.shape_input || !p.attribute.empty();
      for (int i = 0; i < node.input_counts[port]; ++i, ++at) {
        const bool wide = !is_argument && is_wide(graph_.fact(node.inputs[at]));
        all[at] = wide;
        first[at] = wide && port == 0;
      }
    }
    for (const Narrowed& some : {all, first}) {
      if (std::find(some.begin(), some.end(), true) != some.end() && can_be(node, some)) return some;
    }
    return {};
  }

  /// Whether the node gives for such operands what it gave, in float16, and a kernel takes them.
  bool can_be(const Node& node, const Narrowed& operands) const {
    std::vector<Fact> in;
    for (size_t i = 0; i < operands.size(); ++i) {
      in.push_back(graph_.fact(node.inputs[i]));
      if (!operands[i]) continue;
      in.back().dtype = DType::kFloat16;
      in.back().value = nullptr;
    }
    std::vector<const Fact*> args;
    for (const Fact& f : in) args.push_back(&f);
    try {
      const std::vector<Fact> out = infer_node(graph_.context(), node, args);
      const bool same =
          std::equal(out.begin(), out.end(), node.outputs.begin(), node.outputs.end(), [&](const Fact& f, ValueId v) {
            const Fact& was = graph_.fact(v);
            return f.dtype == (is_wide(was) ? DType::kFloat16 : was.dtype) && f.shape == was.shape &&
                   f.is_array == was.is_array;
          });
      return same && takes_(node, in, out);
    } catch (const Error&) {
      return false;  // the operator insists on float32, or needs the elements
    }
  }

  bool narrow(NodeId id, const Narrowed& operands) {
    const Node node = graph_.node(id);
    Patch patch(graph_, id);
    std::map<ValueId, ValueId> made;
    PortValues values = operands_of(node);
    size_t at = 0;
    for (std::vector<ValueId>& port : values) {
      for (ValueId& v : port) {
        if (operands[at++]) v = half(v, patch, made);
      }
    }
    const NodeId computed = patch.add_node(node.op, values, node.output_counts);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId result = graph_.node(computed).outputs[i];
      if (!is_wide(graph_.fact(node.outputs[i]))) {
        patch.replace(node.outputs[i], result);
        continue;
      }
      const ValueId wide = patch.add(Cast{DType::kFloat32}, {{result}});
      patch.replace(node.outputs[i], wide);
      made.emplace(wide, result);
    }
    if (!patch.allowed()) return false;
    patch.commit();
    half_.merge(made);
    return true;
  }

  ValueId half(ValueId wide, Patch& patch, std::map<ValueId, ValueId>& made) const {
    if (const auto known = half_.find(wide); known != half_.end()) return known->second;
    if (const auto known = made.find(wide); known != made.end()) return known->second;
    const Value& value = graph_.value(wide);
    const ValueId narrow = value.is_constant() ? patch.constant(half_of(*value.fact.value), value.name)
                                               : patch.add(Cast{DType::kFloat16}, {{wide}});
    made.emplace(wide, narrow);
    return narrow;
  }

  Graph& graph_;
  const TakesTypes& takes_;
  std::vector<Narrowed> narrowed_;  // by position in the order
  std::vector<bool> chosen_;
  std::map<ValueId, ValueId> half_;  // of float32 values
};

}  // namespace

int half_tensors(Graph& graph, const TakesTypes& takes) {
  const int count = HalfTensors(graph, takes).run();
  if (count > 0) {
    remove_dead(graph);
    release_unused_constants(graph);
  }
  return count;
}

}  // namespace coracle::internal
