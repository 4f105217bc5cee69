// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

/// What users of this library have on a device themselves: memory, and streams of work.
namespace coracle::internal {

/// A point in the order of a user's stream, or of a queue that ends its runs on one: all that it was given before.
class StreamPoint {
 public:
  virtual ~StreamPoint() = default;
  /// Returns when that is done. For any thread; throws Error.
  virtual void wait() const = 0;
  /// Whether that is known to be done. For any thread.
  virtual bool is_done() const noexcept = 0;
};

/// What an open device is, too, that others in the process may use by the same addresses. For any thread.
class SharedDevice {
 public:
  virtual ~SharedDevice() = default;

  /// As people name it: "cuda:1".
  virtual std::string name() const = 0;
  /// The number by which its driver, and other libraries over that, know it.
  virtual int number() const = 0;
  /// What addresses of tensors are multiples of where kernels read and write them.
  virtual size_t kernel_alignment() const = 0;
  /// Throws Error unless the device has so many bytes at an address.
  virtual void check_memory(const void* address, size_t bytes) const = 0;
  /// Throws Error unless it is a stream of this device.
  virtual void check_stream(void* stream) const = 0;
  /// Throws Error, also for a stream that takes no such point at the moment.
  virtual std::shared_ptr<const StreamPoint> point_of(void* stream) = 0;
};

/// What a queue of such a device is, too.
class StreamFollower {
 public:
  virtual ~StreamFollower() = default;
  /// All that is given from now on is done after the point.
  virtual void follow(const StreamPoint& point) noexcept = 0;
  /// Whether the host may be ahead of the device by any number of kernels until told otherwise. Off at first.
  virtual void run_ahead(bool on) noexcept = 0;
  /// In place of Queue::finish: what the stream of that point is given from now on is done after all that this queue
  /// was given, and so is whatever this queue is given. Returns the point behind that; null where somebody has to wait
  /// for it by `finish`, which tells what has failed.
  virtual std::shared_ptr<const StreamPoint> leave(const StreamPoint& of_stream) noexcept = 0;
};

}  // namespace coracle::internal
