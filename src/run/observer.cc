// SPDX-License-Identifier: Apache-2.0
#include "run/observer.h"

#include <algorithm>

#include "ops/movement/movement.h"

namespace coracle::internal {
namespace {

/// The elements of a tensor in row-major order, from where they lie.
Tensor in_order(const RunContext& context, const Fact& fact, const StridedView& view, const void* data) {
  ElementWalk read;
  read.start = view.start;
  for (int d = 0; d < fact.shape.rank(); ++d) read.push_back(fact.shape[d], view.step[d]);
  Tensor out = Tensor::make(context, fact.dtype, fact.shape);
  copy_elements(context, data, read, out.raw(), row_major(fact.shape), size_of(fact.dtype));
  return out;
}

void show(const RunContext& context, const Graph& graph, const Node& node, ValueId value, const Fact& fact,
          const StridedView* view, const void* data, bool result, const Observer& observer) {
  const std::string& name = graph.value(value).name;
  const bool constant = graph.value(value).is_constant();
  if (view != nullptr || (fact.layout == Layout::kChannelsLast && fact.shape.rank() > 2)) {
    Fact plain = fact;
    plain.layout = Layout::kRowMajor;
    const Tensor tensor = in_order(context, fact, view == nullptr ? dense_view(fact) : *view, data);
    observer({node, name, result, constant, plain, tensor.raw()});
  } else {
    observer({node, name, result, constant, fact, data});
  }
}

}  // namespace

void observe_step(const Graph& graph, const Steps& steps, const Step& step, const KernelCall& call, bool results,
                  const Observer& observer) {
  const std::vector<int>& seen = results ? step.out : step.in;
  const std::span<const TensorView> views = results ? call.out : call.in;
  const auto show_buffer = [&](const Step& of, int buffer) {
    const auto at = std::find(seen.begin(), seen.end(), buffer);
    const ValueId value = steps.buffers[static_cast<size_t>(buffer)].value;
    if (of.node == kNoNode || value == kNoValue || at == seen.end()) return;
    const TensorView& view = views[static_cast<size_t>(at - seen.begin())];
    const StridedView* part = steps.buffers[static_cast<size_t>(buffer)].view.get();
    show(*call.context, graph, graph.node(of.node), value, *view.fact, part, view.data, results, observer);
  };
  if (step.parts.empty()) {
    for (int buffer : seen) show_buffer(step, buffer);
    return;
  }
  for (const Step& part : step.parts) {
    for (int buffer : results ? part.out : part.in) show_buffer(part, buffer);
  }
}

void observe_node(const Graph& graph, const Node& node, std::span<const Tensor> values, bool results,
                  const Observer& observer) {
  const std::vector<ValueId>& ids = results ? node.outputs : node.inputs;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (values[i].is_array() || values[i].empty_handle()) continue;
    Fact fact(values[i].dtype(), values[i].shape());
    if (!values[i].lod().empty()) fact.lod = std::make_shared<const Lod>(values[i].lod());
    const Tensor value = values[i].to_host();
    show(kNoRun, graph, node, ids[i], fact, nullptr, value.raw(), results, observer);
  }
}

}  // namespace coracle::internal
