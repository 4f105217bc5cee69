// SPDX-License-Identifier: Apache-2.0
#include "plan/counted_results.h"

#include <algorithm>

namespace coracle::internal {
namespace {

/// The first kernel of a device that counts the rows of such results; null if there is none.
const KernelDef* counting_kernel(const KernelSelector& selector, const Node& node, const ArgFacts& args) {
  for (size_t d = 0; d < selector.devices().size(); ++d) {
    const Place place{static_cast<uint8_t>(d + 1)};
    for (const KernelDef* kernel : selector.kernels(node.op.schema(), place)) {
      if (kernel->bounds != nullptr && takes(kernel->types, node.op.schema(), node.input_counts, args)) return kernel;
    }
  }
  return nullptr;
}

}  // namespace

bool take_bounds(const KernelSelector& selector, const Node& node, std::span<const Fact* const> in,
                 std::vector<Fact>& results, std::vector<ValueId>& counted) {
  if (!std::all_of(in.begin(), in.end(), [](const Fact* f) { return f->known() && !f->is_array; })) return false;
  std::vector<const Fact*> out;
  for (const Fact& f : results) out.push_back(&f);
  const ArgFacts args(in, node.input_counts, out, node.output_counts);
  const KernelDef* const kernel = counting_kernel(selector, node, args);
  if (kernel == nullptr) return false;
  const std::vector<Shape> bounds = kernel->bounds(node.op.attributes(), args);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].shape.known()) continue;
    results[i].shape = bounds[i];
    counted.push_back(node.outputs[i]);
  }
  return true;
}

}  // namespace coracle::internal
