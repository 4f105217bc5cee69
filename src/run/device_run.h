// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_ledger.h"
#include "base/run_context.h"
#include "plan/kernel_selector.h"
#include "run/bound_steps.h"
#include "run/profile.h"

namespace coracle {

/// What an executor holds on the devices of its program: of each a queue, an arena, and host memory that copies pass
/// through; made when they are needed first. One thread at a time.
class DeviceRun {
 public:
  explicit DeviceRun(const std::vector<UsedDevice>& devices);

  class Segment;

  size_t bytes() const;
  /// Gives back all memory, unless a segment runs.
  void release();

 private:
  struct Allocation {
    std::shared_ptr<void> memory;
    MemoryCharge charge;
    size_t bytes() const { return charge.bytes(); }
  };
  /// One device.
  struct DeviceContext {
    UsedDevice device;
    std::unique_ptr<Queue> queue;
    std::vector<Allocation> arena;
    Allocation staging;

    const std::string& name() const { return device.open->info().name; }
  };

  void reserve(DeviceContext& context, const DeviceNeeds& needs, const std::shared_ptr<MemoryLedger>& ledger);

  std::vector<DeviceContext> contexts_;
  uint64_t generation_ = 1;  ///< of the memory: another one where any has moved
  bool running_ = false;
};

/// Around the calls of steps that use devices: binds them to memory and queues, waits, and tells what fails on a
/// device. When it ends, however that is, nothing of them is on its way any more.
class DeviceRun::Segment {
 public:
  /// Memory is charged to the ledger of `context`. Throws Error when a device has not the memory, or is lost. `profile`
  /// may be null.
  Segment(DeviceRun& run, const Graph& graph, BoundSteps& bound, const RunContext& context, Profile* profile,
          std::chrono::steady_clock::time_point run_start);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// Before and after call `i`. Throws Error for what has failed on a device.
  void before(size_t i);
  void after(size_t i);
  /// After the last call: returns when all is done and results are where they belong. Throws Error.
  void finish();

  /// The call of a device as if it had run on the host: with copies of its operands, or of its results.
  class HostCopy {
   public:
    const KernelCall& call() const { return call_; }

   private:
    friend class Segment;
    KernelCall call_;
    std::vector<TensorView> views_;
    std::vector<Tensor> tensors_;
  };
  HostCopy host_copy(size_t i, bool results);

 private:
  /// Of one device.
  struct Work {
    size_t done = 0;   ///< the host has waited for the steps before this one,
    size_t given = 0;  ///< and given those before this one to the queue
    std::chrono::steady_clock::time_point profile_start;
  };
  struct Timed {
    size_t event;
    size_t context;
    Queue::Event from;
    Queue::Event to;
  };

  bool uses(size_t context) const { return !bound_.steps().devices[context].allocations.empty(); }
  void reserve(const RunContext& context);
  std::string unfinished(size_t context) const;
  void check(size_t context, const char* failure, const std::string& detail);
  void read_times();

  DeviceRun& run_;
  const Graph& graph_;
  BoundSteps& bound_;
  Profile* const profile_;
  const std::chrono::steady_clock::time_point run_start_;
  std::vector<Work> work_;
  std::vector<Queue::Event> events_;  // by step, of copies
  std::vector<Timed> timed_;
  Queue::Event before_ = 0;
  bool finished_ = false;
};

}  // namespace coracle
