// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/run_context.h"
#include "plan/kernel_selector.h"
#include "run/bound_steps.h"
#include "run/observer.h"
#include "run/profile.h"
#include "run/user_memory.h"

/// Steps of segments that use devices. What gives them to queues and waits stands behind this interface: the executor
/// knows nothing of queues, and a program that uses no device has none of it.
namespace coracle::internal {

/// How a run that is one segment, on one device whole, may end on the host before it is done there.
struct LateEnd {
  std::shared_ptr<const StreamPoint> of_stream;  ///< which goes on after the run
  std::vector<Tensor> held;                      ///< that the run reads and writes: kept until it is done
  std::shared_ptr<const StreamPoint> end;        ///< set where it ends late: behind the run
};

/// A segment that is to run, bound to the memory of the host.
struct SegmentCalls {
  const RunContext& context;
  const Graph& graph;
  BoundSteps& bound;
  Profile* profile;          ///< may be null
  const Observer* observer;  ///< may be null
  std::chrono::steady_clock::time_point run_start;
  /// Runs call i in the calling thread: of a device that gives it to its queue. Throws Error.
  const std::function<void(size_t i)>& run_call;
  LateEnd* late;  ///< null: the run ends when it is done
};

/// What a session has on the devices of its program. One thread at a time.
class DeviceRunner {
 public:
  virtual ~DeviceRunner() = default;

  /// Runs all calls, and returns when they are done and their results are where they belong. Memory is charged to the
  /// ledger of the context. Throws Error, also for what fails on a device, with the operators that it may have been.
  /// But for a LateEnd nothing of the segment is on its way any more, however it ends.
  virtual void run(const SegmentCalls& segment) = 0;

  /// Where a tensor lies; the host too for one that is on none of these devices.
  virtual Place place_of(const Tensor& tensor) const = 0;
  /// A tensor of that type and place, on a device; its elements are not initialised. It may outlive the session, and is
  /// charged to `ledger`. Throws Error.
  virtual Tensor make(const Fact& fact, const std::shared_ptr<MemoryLedger>& ledger) = 0;
  /// The same with a copy of a tensor on the host.
  virtual Tensor upload(const Tensor& tensor, Place place, const std::shared_ptr<MemoryLedger>& ledger) = 0;

  /// A copy on the same device of a tensor that is there. Throws Error.
  virtual Tensor clone(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger) = 0;
  /// A copy of a tensor, on the host or on the device, in memory of the user's there, which has room for it. Throws
  /// Error.
  virtual Tensor copy(const Tensor& tensor, const std::shared_ptr<const UserMemory>& memory) = 0;
  /// Whatever devices are given from now on, until the next call, is done after these points.
  virtual void follow(const StreamPoints& points) = 0;
  /// The points of all runs that begin from now on are behind what the session's stream was given so far.
  virtual void settle() = 0;

  /// Bytes on devices, and on the host for copies.
  virtual size_t bytes() const = 0;
  /// Gives back all memory, unless a segment runs.
  virtual void release() = 0;
};

/// Makes one for a session; by place, from 1 on. `recording_bytes` bounds what its queues record (SessionOptions).
using MakeDeviceRunner = std::unique_ptr<DeviceRunner> (*)(const std::vector<UsedDevice>& devices,
                                                           size_t recording_bytes);
/// Of programs that use devices (ProgramOptions::device_runner).
std::unique_ptr<DeviceRunner> make_device_runner(const std::vector<UsedDevice>& devices, size_t recording_bytes);

}  // namespace coracle::internal
