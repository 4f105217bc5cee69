// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/kernel_selector.h"
#include "plan/upcast.h"

namespace coracle::internal {

/// True if an operand is an argument of its operator whose value is known: kernels read it while they are prepared, and
/// it stays on the host wherever they run.
bool is_known_argument(const Port& port, const Fact& fact);

/// A node's operands and results as kernels would see them, to choose one: facts of known shapes, with the layouts of
/// the kernel that was tried last.
class KernelMatcher {
 public:
  /// `facts` by value.
  KernelMatcher(const Node& node, std::span<const Fact> facts);
  KernelMatcher(const KernelMatcher&) = delete;
  KernelMatcher& operator=(const KernelMatcher&) = delete;

  const Port& port(size_t i) const { return *port_of_[i]; }  ///< of operand i
  std::vector<Fact>& in() { return in_; }
  std::vector<Fact>& out() { return out_; }
  const ArgFacts& args() const { return args_; }
  /// Dimensions of those tensors that kernels may want in another order.
  int rank() const { return out_[0].shape.rank(); }

  /// The first kernel that takes the node if its tensors stand in `common`, where the kernel takes any order; null if
  /// there is none. `refused` gets the others before it, unless it is null; with `by_cost` also those that do not pay.
  const KernelDef* choose(std::span<const KernelDef* const> kernels, Layout common, bool by_cost,
                          std::vector<Refusal>* refused);
  /// See upcast.h.
  bool upcast(const RunContext& context, const UpcastValue& upcast_value) {
    return coracle::internal::upcast(context, node_, in_, out_, upcast_value);
  }
  /// At a place stand all but known arguments, which stay on the host.
  void set_place(Place place);
  /// Results have the most rows that there may be: only kernels with KernelDef::bounds take the node. Others do else.
  void set_counted(bool counted) { counted_ = counted; }

 private:
  const Node& node_;
  std::vector<const Port*> port_of_;
  std::vector<Fact> in_;
  std::vector<Fact> out_;
  std::vector<const Fact*> in_facts_;
  std::vector<const Fact*> out_facts_;
  ArgFacts args_;
  bool counted_ = false;
};

}  // namespace coracle::internal
