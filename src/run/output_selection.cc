// SPDX-License-Identifier: Apache-2.0
#include "run/output_selection.h"

#include <algorithm>

namespace coracle::internal {
namespace {

bool is_pure(const Node& node) { return node.op.schema().pure && node.regions.empty(); }

/// The buffer whose memory a buffer is seen in, by number.
size_t memory_of(const Steps& steps, int buffer) {
  auto at = static_cast<size_t>(buffer);
  while (steps.buffers[at].alias_of >= 0) at = static_cast<size_t>(steps.buffers[at].alias_of);
  return at;
}

}  // namespace

void OutputSelection::set(const Graph& graph, const std::vector<bool>& wanted) {
  ++number_;
  values_.clear();
  if (std::all_of(wanted.begin(), wanted.end(), [](bool w) { return w; })) return;
  std::vector<bool> needed(graph.value_count());
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (i >= wanted.size() || wanted[i]) needed[index(graph.outputs()[i])] = true;
  }
  const std::vector<NodeId>& order = graph.order();
  for (size_t i = order.size(); i-- > 0;) {
    const Node& node = graph.node(order[i]);
    const bool is_needed = !is_pure(node) || std::any_of(node.outputs.begin(), node.outputs.end(),
                                                         [&](ValueId v) { return needed[index(v)]; });
    if (!is_needed) continue;
    for (ValueId v : node.inputs) needed[index(v)] = true;
    for (ValueId v : node.outputs) needed[index(v)] = true;
  }
  values_ = std::move(needed);
}

bool OutputSelection::has(const Node& node) const {
  return is_all() || !is_pure(node) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return has(v); });
}

SelectedSteps selected_steps(const Graph& graph, const Steps& steps, const OutputSelection& selection) {
  std::vector<bool> needed(steps.buffers.size());  // by root
  for (const LiveOut& out : steps.live_out) {
    if (selection.has(out.value)) needed[memory_of(steps, out.buffer)] = true;
  }
  SelectedSteps selected{.runs = std::vector<bool>(steps.steps.size()), .written = std::vector<bool>(needed.size())};
  for (size_t i = steps.steps.size(); i-- > 0;) {
    const Step& step = steps.steps[i];
    const bool has_effects = step.node != kNoNode && !is_pure(graph.node(step.node));
    const bool runs = has_effects || std::any_of(step.out.begin(), step.out.end(),
                                                 [&](int buffer) { return needed[memory_of(steps, buffer)]; });
    if (!runs) continue;
    selected.runs[i] = true;
    for (int buffer : step.in) needed[memory_of(steps, buffer)] = true;
    for (int buffer : step.out) {
      needed[memory_of(steps, buffer)] = true;
      selected.written[memory_of(steps, buffer)] = true;
    }
  }
  for (size_t b = 0; b < selected.written.size(); ++b) {
    if (selected.written[memory_of(steps, static_cast<int>(b))]) selected.written[b] = true;
  }
  return selected;
}

}  // namespace coracle::internal
