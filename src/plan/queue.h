// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plan/speed.h"

/// A device that was opened, and the work that is given to it.
namespace coracle::internal {

/// What a device says of itself.
struct DeviceInfo {
  std::string name;    ///< "NVIDIA H100", as the driver says it
  std::string driver;  ///< name and version of what runs it
  size_t memory_bytes = 0;
  size_t largest_allocation = 0;  ///< bytes that one allocation may have
  size_t alignment = 128;         ///< of tensors within an allocation, in bytes
  int compute_units = 0;          ///< cores, multiprocessors
  bool half = false;              ///< kernels may compute with float16
  bool doubles = false;           ///< and with float64
  bool shares_memory = false;     ///< with the host, as integrated devices do
  Speed speed = {.flops_per_second = 1e12, .bytes_per_second = 1e11, .start = 5e-6};  ///< of its kernels
  TransferSpeed transfer = {.bytes_per_second = 8e9, .start = 1e-5};                  ///< from and to the host
};

/// Bytes of a device's memory.
struct DeviceBytes {
  void* allocation = nullptr;
  size_t offset = 0;
};

/// Kernels and copies on the device that a queue was given once, to be done again by one call. It ends before its
/// queue.
class Recording {
 public:
  virtual ~Recording() = default;
};

/// The work of one session on one device, done while the host goes on. One thread at a time.
///
/// Work is done in two orders, each that in which it was given: kernels and copies on the device; and, beside them,
/// copies between the host and the device. Of these
///
///  - one to the host is done after the kernels that were given before it,
///  - one to the device waits for no kernel: what it writes must be out of use by then,
///  - kernels wait for those that `order_after` names, and for no others.
///
/// A device that has one order for all keeps that too.
///
/// What is given returns at once; a failure is kept: whatever comes after it does nothing, until `finish` or `wait` has
/// told it. A queue whose device is lost fails for good.
class Queue {
 public:
  virtual ~Queue() = default;

  /// `from` and `to` of the host must stay as they are until a later event has been waited for. Memory that
  /// OpenDevice::allocate_host gave is copied without the host.
  virtual void upload(const void* from, DeviceBytes to, size_t bytes) noexcept = 0;
  virtual void download(DeviceBytes from, void* to, size_t bytes) noexcept = 0;
  virtual void copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept = 0;

  /// A point in the order of copies between host and device: all that were given before.
  using Event = uint64_t;
  virtual Event record() noexcept = 0;
  /// Kernels and copies on the device that are given from now on are done after the copies before the event.
  virtual void order_after(Event event) noexcept = 0;
  /// Returns when the copies before the event are done: null, or why work failed, as a literal; `detail` gets a longer
  /// text where there is memory for it.
  virtual const char* wait(Event event, std::string* detail) noexcept = 0;
  /// The same for all work given so far.
  virtual const char* finish(std::string* detail) noexcept = 0;

  /// From here to `end_recording` kernels and copies on the device are kept instead of done; nothing else is given and
  /// nobody waits. False where this queue cannot record: nothing changes then.
  virtual bool begin_recording() noexcept { return false; }
  /// What was kept; null where it cannot be recorded: none of it is done then, and it has to be given again.
  virtual std::unique_ptr<Recording> end_recording() noexcept { return nullptr; }
  /// The same as giving again what this queue recorded: what the calls point to must be where it was.
  virtual void replay(Recording& /*recording*/) noexcept {}

  /// Between `profile(true)` and `profile(false)`: how long the work given between two events, done by now, took on the
  /// device, in nanoseconds; and when it began, counted from the first event so taken. Negative where that is unknown.
  virtual void profile(bool on) noexcept = 0;
  struct Span {
    int64_t begin_ns = -1;
    int64_t duration_ns = -1;
  };
  virtual Span span(Event from, Event to) noexcept = 0;
};

/// A device in use by this process; shared by all sessions of a model, and by any number of threads.
class OpenDevice {
 public:
  virtual ~OpenDevice() = default;

  virtual const DeviceInfo& info() const = 0;
  /// Throws Error.
  virtual std::unique_ptr<Queue> make_queue() = 0;
  /// Memory of its own, freed with its last owner once the work that was given before is done; the content is
  /// undefined. Throws Error (out of memory), naming bytes and device.
  virtual std::shared_ptr<void> allocate(size_t bytes) = 0;
  /// Host memory that the device copies from and to without the host's help. Throws Error (out of memory).
  virtual std::shared_ptr<void> allocate_host(size_t bytes) = 0;
  /// True once the device is gone: everything on it fails from then on.
  virtual bool lost() const noexcept = 0;
};

}  // namespace coracle::internal
