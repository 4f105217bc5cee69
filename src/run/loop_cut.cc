// SPDX-License-Identifier: Apache-2.0
#include "run/loop_cut.h"

#include <algorithm>
#include <vector>

#include "ops/movement/concat.h"

namespace coracle::internal {

size_t loop_cut(const Graph& body) {
  std::vector<bool> grows(body.value_count(), false);
  const size_t carried_values = std::min(body.outputs().size(), body.inputs().size());
  for (size_t i = 0; i < carried_values; ++i) {
    const NodeId producer = body.value(body.outputs()[i]).producer;
    if (producer == kNoNode || !body.node(producer).op.is<Concat>()) continue;
    const ValueId carried = body.inputs()[i];
    const std::vector<ValueId>& joined = body.node(producer).inputs;
    if (std::find(joined.begin(), joined.end(), carried) != joined.end()) grows[index(carried)] = true;
  }
  for (size_t p = 0; p < body.order().size(); ++p) {
    const std::vector<ValueId>& read = body.node(body.order()[p]).inputs;
    if (std::any_of(read.begin(), read.end(), [&](ValueId v) { return grows[index(v)]; })) return p;
  }
  return SIZE_MAX;
}

}  // namespace coracle::internal
