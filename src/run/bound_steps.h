// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_ledger.h"
#include "plan/steps.h"
#include "run/output_selection.h"
#include "run/step_cache.h"

namespace coracle::internal {

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
  /// The same for tensors of the session, by value.
  void bind_externals(std::span<const Tensor> tensors);

  struct External {
    size_t view;
    ValueId value;
  };

  const std::shared_ptr<const PlannedSteps>& planned() const { return planned_; }  ///< null where nothing is bound
  const Steps& steps() const { return planned_->steps; }
  const std::byte* arena() const { return arena_; }
  /// Where the tensors of the session are that lie on devices.
  const std::vector<void*>& device_tensors() const { return device_tensors_; }
  /// Bytes of the steps and of what binds them.
  size_t bytes() const;

  std::vector<TensorView> views;    ///< of all calls, inputs before outputs
  std::vector<KernelCall> calls;    ///< one per step
  std::vector<External> externals;  ///< views that point to the session's tensors
  /// What runs where only some outputs are wanted, and the number of that OutputSelection (0: all).
  SelectedSteps selected;
  uint64_t selection = 0;
  uint64_t device_generation = 0;  ///< DeviceRun's, of the memory that was bound last

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
  struct Workspace {
    Place place;
    uint32_t block;
    DeviceBytes bytes;
  };

  void drop();
  void add_view(int buffer);

  std::shared_ptr<const PlannedSteps> planned_;
  std::shared_ptr<MemoryLedger> ledger_;  // that the tables are charged to
  size_t charged_ = 0;
  std::vector<InArena> in_arena_;
  std::vector<OnDevice> on_device_;
  std::vector<Workspace> workspaces_;  // calls point to them
  std::vector<void*> device_tensors_;
  std::byte* arena_ = nullptr;
};

}  // namespace coracle::internal
