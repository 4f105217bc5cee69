// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_ledger.h"
#include "plan/kernel_turns.h"
#include "plan/shared_device.h"
#include "plan/step_ranges.h"
#include "run/device_memory.h"
#include "run/device_runner.h"
#include "run/recordings.h"

namespace coracle::internal {

/// What an executor holds on the devices of its program: of each a queue, an arena, and host memory that copies pass
/// through; made when they are needed first.
class DeviceRun final : public DeviceRunner {
 public:
  DeviceRun(const std::vector<UsedDevice>& devices, size_t recording_bytes);
  ~DeviceRun() override;
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  void run(const SegmentCalls& segment) override;
  Place place_of(const Tensor& tensor) const override;
  Tensor make(const Fact& fact, const std::shared_ptr<MemoryLedger>& ledger) override;
  Tensor upload(const Tensor& tensor, Place place, const std::shared_ptr<MemoryLedger>& ledger) override;
  Tensor clone(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger) override;
  Tensor copy(const Tensor& tensor, const std::shared_ptr<const UserMemory>& memory) override;
  void follow(const StreamPoints& points) override;
  void settle() override;
  size_t bytes() const override;
  void release() override;

 private:
  class Segment;

  struct Allocation {
    std::shared_ptr<void> memory;
    MemoryCharge charge;
    size_t bytes() const { return charge.bytes(); }
  };
  /// One device.
  struct DeviceContext {
    UsedDevice device;
    std::unique_ptr<Queue> queue;
    KernelTurns* turns = nullptr;  ///< the queue's, if it takes any
    StepRanges* ranges = nullptr;  ///< the queue's, if somebody looks
    std::vector<Allocation> arena;
    Allocation staging;
    std::shared_ptr<DeviceMemory> tensors;  ///< those that outlive segments
    StreamPoints points = {};               ///< that the queue has to follow before anything else

    const std::string& name() const { return device.open->info().name; }
  };

  DeviceMemory& memory_of(const DeviceStorage& storage);
  void reserve(DeviceContext& context, const DeviceNeeds& needs, const std::shared_ptr<MemoryLedger>& ledger);

  /// Memory has moved, or will.
  void move_memory();
  /// Gives up what runs hold that are done; waits for the first ones while there are more than `most`. Throws Error.
  void end_late_runs(size_t most);

  /// A run that has ended on the host.
  struct LateRun {
    std::shared_ptr<const StreamPoint> end;
    std::vector<Tensor> held;
    std::shared_ptr<const PlannedSteps> planned;
  };
  static constexpr size_t kMostLateRuns = 8;

  std::deque<LateRun> late_runs_;  // what they hold stays until the queues have ended
  std::vector<DeviceContext> contexts_;
  Recordings recordings_;    // they end before the queues
  uint64_t generation_ = 1;  ///< of the memory: another one where any has moved
  bool running_ = false;
};

/// Gives the calls of one segment to the queues, waits, and tells what fails on a device. When it ends, however that
/// is, nothing of them is on its way any more.
class DeviceRun::Segment {
 public:
  /// Binds the calls to memory and queues.
  Segment(DeviceRun& run, const SegmentCalls& segment);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  void run();

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

  bool uses(size_t context) const { return steps_.devices[context].used; }
  void find_ranges();
  std::string step_name(size_t i) const;
  std::string stretch_name(const RecordedCalls& stretch) const;
  bool is_watched() const { return segment_.profile != nullptr || segment_.observer != nullptr; }
  void reserve();
  void give(size_t i);
  void begin_turn(size_t context);
  void end_turn();
  void before(size_t i);
  void after(size_t i);
  void observe(size_t i, bool results);
  void show_counted_rows(const std::vector<int>& buffers, std::vector<TensorView>& views,
                         std::vector<Fact>& facts) const;
  std::vector<RecordedCalls> stretches() const;
  void run_stretch(RecordedCalls& stretch);
  void finish();
  StreamFollower* find_late_queue() const;
  bool leave();
  std::string unfinished(size_t context) const;
  void check(size_t context, const char* failure, const std::string& detail);
  void read_times();

  DeviceRun& run_;
  const SegmentCalls& segment_;
  BoundSteps& bound_;
  const Steps& steps_;
  std::vector<Work> work_;
  std::vector<Queue::Event> events_;  // by step, of copies
  std::vector<Timed> timed_;
  Queue::Event before_ = 0;
  KernelTurns* turn_ = nullptr;  // that of the kernels that are given now
  StepRanges* ranges_ = nullptr;
  StreamFollower* late_queue_ = nullptr;  // that of the whole segment, where the run may end before it
  bool finished_ = false;
};

}  // namespace coracle::internal
