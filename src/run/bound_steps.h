// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_ledger.h"
#include "plan/steps.h"
#include "run/step_cache.h"

namespace coracle::internal {

/// Calls [begin, end) that a queue has recorded; null where it does not take them.
struct RecordedCalls {
  size_t begin = 0;
  size_t end = 0;
  std::unique_ptr<Recording> recording;
};

/// What there is of the same calls with the same memory.
struct RecordedSegment {
  std::vector<void*> tensors;  ///< of the session, on devices
  int runs = 0;                ///< how often they have run, up to 2
  std::vector<RecordedCalls> calls = {};
};

/// The steps of one segment bound to the memory of a session: what a run walks over. Views and calls belong to the
/// session; the steps are shared with other sessions and stay as long as they are bound here.
class BoundSteps {
 public:
  BoundSteps() = default;
  ~BoundSteps() { drop(); }
  BoundSteps(const BoundSteps&) = delete;
  BoundSteps& operator=(const BoundSteps&) = delete;

  /// Takes other steps. Tables that were made with them count on `ledger` while they are bound. Throws Error (out of
  /// memory).
  void take(std::shared_ptr<const PlannedSteps> planned, std::shared_ptr<MemoryLedger> ledger);
  /// Points all views and workspaces into an arena that starts at `arena`.
  void bind(std::byte* arena, ThreadPool* pool);
  /// The same for what is on a device: blocks of its arena, staging memory for its copies, and its queue.
  void bind_device(Place place, std::span<void* const> arena, void* staging, Queue* queue);

  /// The same for tensors of the session, by value. What a loop hands on lies in one of two blocks by turns: calls are
  /// recorded for either.
  void bind_externals(std::span<const Tensor> tensors);

  struct External {
    size_t view;
    ValueId value;
  };

  const std::shared_ptr<const PlannedSteps>& planned() const { return planned_; }  ///< null where nothing is bound
  const Steps& steps() const { return planned_->steps; }
  /// Bytes of the steps and of what binds them.
  size_t bytes() const;

  std::vector<TensorView> views;    ///< of all calls, inputs before outputs
  std::vector<KernelCall> calls;    ///< one per step
  std::vector<External> externals;  ///< views that point to the session's tensors
  // What DeviceRun knows of them.
  uint64_t device_generation = 0;         ///< of the memory that was bound last
  std::vector<RecordedSegment> recorded;  ///< the memory that is bound comes first; see bind_externals

 private:
  struct InArena {
    size_t view;
    size_t offset;
  };
  struct OnDevice {
    size_t view;
    Place place;
    uint32_t block;
  };

  void drop();
  void add_view(int buffer);
  void forget_recordings();

  std::shared_ptr<const PlannedSteps> planned_;
  std::shared_ptr<MemoryLedger> ledger_;  // that the tables are charged to
  size_t charged_ = 0;
  std::vector<InArena> in_arena_;
  std::vector<OnDevice> on_device_;
  std::byte* arena_ = nullptr;
};

}  // namespace coracle::internal
