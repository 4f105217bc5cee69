// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/kernel_selector.h"

namespace coracle {

/// Where the elements of a local value lie during a run.
struct Slot {
  enum class Kind : uint8_t {
    kArena,     ///< at `offset` of the session's arena
    kExternal,  ///< a tensor of the session: an input, an output, or a value that outlives the segment
    kConstant,  ///< fact.value of the local
  };
  Kind kind = Kind::kArena;
  size_t offset = 0;
  ValueId external = kNoValue;
};

/// A value of the graph in one layout, as a segment uses it.
struct Local {
  Fact fact;
  ValueId value = kNoValue;
  int alias_of = -1;  ///< index of the local whose memory it is seen in, -1 if it has its own
  Slot slot;
  std::shared_ptr<const StridedView> view;  ///< how it lies in alias_of, if not as a whole
};

/// One kernel call.
struct Step {
  const Kernel* kernel = nullptr;
  Op op;
  NodeId node = kNoNode;  ///< kNoNode for what the planner inserted
  std::vector<int> in;    ///< locals, flat by port
  std::vector<int> out;
  PortCounts in_counts;
  PortCounts out_counts;
  Prepared prepared;
  std::vector<Refusal> refusals;  ///< filled when asked for
  std::vector<Step> parts;  ///< steps that this one runs in strips (strips.h); their tensors in between have no place
};

/// A value that later segments or the caller need.
struct LiveOut {
  ValueId value = kNoValue;
  int local = -1;
};

/// Everything needed to run a stretch of nodes for one set of shapes. Immutable once planned.
struct Steps {
  std::vector<Local> locals;
  std::vector<Step> steps;
  std::vector<LiveOut> live_out;
  size_t arena_bytes = 0;  ///< tensors and, behind them, the workspace
  size_t workspace_offset = 0;
  size_t stop = 0;          ///< position in the graph's order of the first node not covered
  size_t packed_alone = 0;  ///< bytes of constants made wider that no other steps share
  size_t bytes = 0;         ///< memory this object takes, for the bound on cached steps
};

}  // namespace coracle
