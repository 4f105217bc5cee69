// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plan/steps.h"

namespace coracle {

/// Steps bound to memory: what a run walks over.
struct BoundSteps {
  explicit BoundSteps(Steps planned);
  BoundSteps(const BoundSteps&) = delete;
  BoundSteps& operator=(const BoundSteps&) = delete;

  /// Points all views and workspaces into an arena that starts at `arena`.
  void bind(std::byte* arena, ThreadPool* pool);
  /// The same for what is on a device: blocks of its arena, staging memory for its copies, and its queue.
  void bind_device(Place place, std::span<void* const> arena, void* staging, Queue* queue);

  struct External {
    size_t view;
    ValueId value;
  };

  Steps steps;
  std::vector<TensorView> views;    ///< of all calls, inputs before outputs
  std::vector<KernelCall> calls;    ///< one per step
  std::vector<External> externals;  ///< views that point to the session's tensors
  size_t bytes = 0;
  uint64_t device_generation = 0;  ///< of the memory that was bound last; see DeviceRun

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
  std::vector<InArena> in_arena_;
  std::vector<OnDevice> on_device_;
  std::byte* arena_ = nullptr;
};

/// Steps by the types of what goes in, least recently used out first when their size passes the bound. The newest stay
/// whatever their size: a run after a run of the same shapes plans nothing. A bound of 0 keeps nothing but what is
/// running.
class StepCache {
 public:
  explicit StepCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  std::shared_ptr<BoundSteps> find(std::string_view key);
  void insert(std::string key, std::shared_ptr<BoundSteps> steps);
  size_t bytes() const { return bytes_; }
  void clear();

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<BoundSteps> steps;
  };
  using Entries = std::list<Entry>;

  const size_t max_bytes_;
  size_t bytes_ = 0;
  Entries entries_;  // most recently used first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
};

}  // namespace coracle
