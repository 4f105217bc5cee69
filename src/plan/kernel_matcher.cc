// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_matcher.h"

#include <cmath>

namespace coracle::internal {
namespace {

std::vector<Fact> facts_of(const std::vector<ValueId>& values, std::span<const Fact> facts) {
  std::vector<Fact> out(values.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = facts[index(values[i])];
  return out;
}

std::vector<const Fact*> pointers_to(const std::vector<Fact>& facts) {
  std::vector<const Fact*> out;
  out.reserve(facts.size());
  for (const Fact& f : facts) out.push_back(&f);
  return out;
}

std::string cost_text(const CostEstimate& cost) {
  const auto thousands = [](double cycles) { return std::llround(cycles / 1000); };
  return text("slower: an estimated ", thousands(cost.own), " thousand cycles an item, ", thousands(cost.others),
              " thousand without it");
}

}  // namespace

bool is_known_argument(const Port& port, const Fact& fact) {
  const bool list = fact.shape.rank() <= 2;  // of larger ones there are two orders
  return list && (port.shape_input || !port.attribute.empty()) && fact.value != nullptr;
}

KernelMatcher::KernelMatcher(const Node& node, std::span<const Fact> facts)
    : node_(node),
      in_(facts_of(node.inputs, facts)),
      out_(facts_of(node.outputs, facts)),
      in_facts_(pointers_to(in_)),
      out_facts_(pointers_to(out_)),
      args_(in_facts_, node.input_counts, out_facts_, node.output_counts) {
  const std::span<const Port> ports = node.op.schema().inputs;
  for (size_t p = 0; p < node.input_counts.size(); ++p) {
    port_of_.insert(port_of_.end(), static_cast<size_t>(node.input_counts[p]), &ports[p]);
  }
}

const KernelDef* KernelMatcher::choose(std::span<const KernelDef* const> kernels, Layout common, bool by_cost,
                                       std::vector<Refusal>* refused) {
  const int rank = this->rank();
  for (const KernelDef* kernel : kernels) {
    if (kernel->sized || (kernel->bounds != nullptr) != counted_) continue;
    for (size_t i = 0; i < in_.size(); ++i) {
      in_[i].layout = layout_of(kernel->layout, port_of_[i]->weight, in_[i].shape, rank, common);
    }
    for (Fact& f : out_) f.layout = layout_of(kernel->layout, false, f.shape, rank, common);
    const bool types = takes(kernel->types, node_.op.schema(), node_.input_counts, args_);
    const RejectionReason rejection = types ? kernel->rejection(node_.op.attributes(), args_) : nullptr;
    if (types && rejection == nullptr) {
      const std::optional<CostEstimate> cost =
          by_cost ? kernel->cost(node_.op.attributes(), args_) : std::optional<CostEstimate>();
      if (!cost || cost->pays()) return kernel;
      if (refused != nullptr) refused->push_back({kernel, cost_text(*cost)});
      continue;
    }
    if (refused != nullptr) refused->push_back({kernel, types ? rejection : text_of(kernel->types)});
  }
  return nullptr;
}

void KernelMatcher::set_place(Place place) {
  for (size_t i = 0; i < in_.size(); ++i) in_[i].place = is_known_argument(*port_of_[i], in_[i]) ? Place{} : place;
  for (Fact& f : out_) f.place = place;
}

}  // namespace coracle::internal
