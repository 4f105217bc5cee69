// SPDX-License-Identifier: Apache-2.0
#include "plan/sized_step.h"

#include <algorithm>

namespace coracle::internal {

std::optional<SizedStep> plan_sized(const RunContext& run, const Node& node, std::span<const Fact* const> in,
                                    std::span<const Fact> out, const KernelSelector& selector, ThreadPool& pool) {
  if (!node.regions.empty() || out.empty()) return std::nullopt;
  const auto plain = [](const Fact* f) { return f->known() && !f->is_array; };
  if (!std::all_of(in.begin(), in.end(), plain)) return std::nullopt;
  std::vector<const Fact*> results;
  for (const Fact& f : out) results.push_back(&f);
  const ArgFacts args(in, node.input_counts, results, node.output_counts);
  for (const KernelDef* kernel : selector.kernels(node.op.schema())) {
    if (!kernel->sized || !takes(kernel->types, node.op.schema(), node.input_counts, args)) continue;
    if (kernel->rejection(node.op.attributes(), args) != nullptr) continue;
    SizedStep step;
    step.kernel = kernel;
    if (kernel->prepare != nullptr) {
      PrepareContext context;
      context.pool = &pool;
      context.run = &run;
      step.prepared = kernel->prepared(node.op.attributes(), args, context);
    }
    return step;
  }
  return std::nullopt;
}

}  // namespace coracle::internal
