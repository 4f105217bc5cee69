// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <algorithm>

namespace coracle::internal {

Cost cost_of(const Op& op, const NodeFacts& facts) {
  Cost cost;
  bool known = true;
  for (const std::span<const Fact* const> list : {facts.all_in(), facts.all_out()}) {
    for (const Fact* f : list) {
      const bool counts = f->known() && !f->is_array;
      if (counts) cost.bytes += static_cast<int64_t>(f->bytes());
      known = known && counts;
    }
  }
  if (known && op.schema().flops != nullptr) cost.flops = op.schema().flops(op.attributes(), facts);
  return cost;
}

}  // namespace coracle::internal
