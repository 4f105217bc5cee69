// SPDX-License-Identifier: Apache-2.0
#include "blocks/block_plan.h"

namespace coracle::internal {

void take_saved(BlockPlan& plan, size_t engine) {
  const std::vector<NodeId>& order = plan.graph().order();
  const std::vector<SavedBlock>& saved = plan.choice().saved;
  for (size_t s = 0; s < saved.size(); ++s) {
    if (saved[s].graph != plan.number() || saved[s].engine != plan.name_of(engine)) continue;
    plan.context().check();
    Block block{.engine = engine, .nodes = {}, .marked = true, .saved = static_cast<int>(s)};
    std::string cause;
    for (const int32_t place : saved[s].nodes) {
      require(place >= 0 && static_cast<size_t>(place) < order.size(), ErrorCode::kInvalidModel, "a block for ",
              saved[s].engine, " has node ", place, " of ", order.size());
      const NodeId id = order[static_cast<size_t>(place)];
      require(plan.state(id).block == BlockPlan::kNone, ErrorCode::kInvalidModel, "two blocks contain the node ",
              plan.graph().node(id).name);
      block.nodes.push_back(id);
      // The engine here may be another version, and the file anybody's.
      if (std::string refusal = refusal_of(plan, engine, plan.graph().node(id)); !refusal.empty() && cause.empty()) {
        cause = text("the block that the model was saved with has ", plan.graph().node(id).name, ": ", refusal);
      }
    }
    plan.add_block(std::move(block));
    if (!cause.empty()) plan.drop(plan.blocks().size() - 1, cause);
  }
}

}  // namespace coracle::internal
