// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/copy.h"
#include "plan/device_constants.h"
#include "plan/kernel_selector.h"

namespace coracle::internal {

/// Where the elements of a buffer lie during a run.
struct Slot {
  enum class Kind : uint8_t {
    kArena,     ///< at `offset` of the session's arena at that place
    kExternal,  ///< a tensor of the session, at that place: an input, an output, or a value that outlives the segment
    kConstant,  ///< fact.value of the buffer
  };
  Kind kind = Kind::kArena;
  uint32_t allocation = 0;  ///< of a device's arena, which may have several
  size_t offset = 0;
  ValueId external = kNoValue;
};

/// A value of the graph in one layout at one place (Fact::place), as a segment uses it.
struct SegmentBuffer {
  Fact fact;
  ValueId value = kNoValue;
  int alias_of = -1;  ///< index of the buffer whose memory it is seen in, -1 if it has its own
  Slot slot;
  std::shared_ptr<const StridedView> view;  ///< how it lies in alias_of, if not as a whole
  DevicePiece constant = {};                ///< where the elements of a constant lie on a device
};

/// One kernel call, or a copy between the host and a device.
struct Step {
  const KernelDef* kernel = nullptr;
  Op op;
  NodeId node = kNoNode;  ///< kNoNode for what the planner inserted
  std::vector<int> in;    ///< buffers, flat by port
  std::vector<int> out;
  PortCounts in_counts;
  PortCounts out_counts;
  Prepared prepared;
  std::vector<Refusal> refusals;        ///< filled when asked for
  std::vector<Step> parts;              ///< steps that this one runs together; their tensors in between have no place
  Place place;                          ///< where it runs; of a copy the device
  std::string cause = {};               ///< why there, filled when asked for
  std::vector<int> waits = {};          ///< of the host: copies to it that must be done before (waits.h)
  int after = -1;                       ///< of a device: the last copy to it that must be done before, -1 for none
  int workspace = -1;                   ///< of a device: the buffer of Prepared::workspace, -1 for none
  std::shared_ptr<CopyPlan> copy = {};  ///< of copies only
};

/// A value that later segments or the caller need.
struct LiveOut {
  ValueId value = kNoValue;
  int buffer = -1;
};

/// A last step on a device whose results have as many rows as the data says: those of the plan are the most there may
/// be.
struct CountedResults {
  std::vector<ValueId> values;  ///< those results
  int rows = -1;                ///< buffer on the host, which the number of rows is copied to
};

/// What a plan takes of a device besides constants.
struct DeviceNeeds {
  std::vector<size_t> allocations;  ///< bytes of each allocation of the arena
  size_t staging = 0;               ///< bytes of host memory that inputs and results pass through
  bool used = false;                ///< steps run there, or copy from or to there
};

/// Everything needed to run a stretch of nodes for one set of shapes. Immutable once planned.
struct Steps {
  std::vector<SegmentBuffer> buffers;
  std::vector<Step> steps;
  std::vector<LiveOut> live_out;
  std::optional<CountedResults> counted;
  size_t arena_bytes = 0;  ///< tensors and, behind them, the workspace
  size_t workspace_offset = 0;
  std::vector<DeviceNeeds> devices;  ///< by place, from 1 on; empty where nothing runs on any
  size_t stop = 0;                   ///< position in the graph's order of the first node not covered
  size_t packed_unshared = 0;        ///< bytes of constants made wider that no other steps share
  size_t bytes = 0;                  ///< memory this object takes, for the bound on cached steps
};

}  // namespace coracle::internal
