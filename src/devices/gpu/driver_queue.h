// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "devices/gpu/open_gpu.h"

namespace coracle::internal::gpu {

/// A queue by two of a driver's, one of kernels and one of copies between host and device, with events where one waits
/// for the other: points, failures and faults, as all drivers need them. A kind of device derives its own, which gives
/// the commands and closes it.
class DriverQueue : public GpuQueue {
 public:
  Event record() noexcept override;
  void order_after(Event point) noexcept override;
  const char* wait(Event point, std::string* detail) noexcept override;
  const char* finish(std::string* detail) noexcept override;
  DeviceBytes faults() noexcept override;

 protected:
  enum class Half { kKernels, kCopies };
  static constexpr char kFailed[] = "the device failed";  ///< a reason
  using DriverEvent = void*;                              ///< cl_event, CUevent
  struct KeptEvent {
    Event point;
    DriverEvent event;
  };

  /// `device` outlives it.
  explicit DriverQueue(OpenDevice& device) : opened_(device) {}

  bool failed() const noexcept { return failure_ != nullptr; }
  /// Whether what was given since `finish` may have found an index out of range.
  bool may_have_faults() const noexcept { return may_have_faults_; }
  /// Whether `note_kernels` never waits.
  void set_may_run_ahead(bool on) noexcept { may_run_ahead_ = on; }
  Event last_point() const noexcept { return last_; }
  /// What the driver returned, 0 where all is well. The text of a failure is made of `what` ("kernel conv2d") and
  /// `bytes`, if there are any. `while_waiting`: for work that was given before.
  void note(int code, const char* what, size_t bytes, bool while_waiting = false) noexcept;
  /// More of the failure that was noted last.
  template <class Text>
  void add_detail(const Text& more) noexcept {
    try {
      detail_ += more();
    } catch (...) {  // without it
    }
  }
  /// For kernels that were given. Where the run may be cancelled or has a time limit (`may_end`), it waits until the
  /// device is no more than some dozens of kernels behind: what was given is done whatever happens, and nobody looks at
  /// limits while the end of it is waited for.
  void note_kernels(size_t count, bool may_end) noexcept;
  /// A copy between host and device will be given.
  void note_copy() noexcept { has_copied_ = true; }
  void release(std::deque<KeptEvent>& events, size_t count) noexcept;
  /// All that was given is done, and no point is waited for any more.
  void forget_points() noexcept;
  /// Waits for everything and releases what this class keeps.
  void close() noexcept;

 private:
  // What the driver does. Each notes its failure.

  /// The event of all commands that a half was given so far; null after a failure.
  virtual DriverEvent event_of(Half half) noexcept = 0;
  virtual void release_event(DriverEvent event) noexcept = 0;
  /// Waits for an event; false after a failure.
  virtual bool await(DriverEvent event) noexcept = 0;
  /// Kernels that are given from now on begin after the event.
  virtual void hold_kernels(DriverEvent event) noexcept = 0;
  /// Returns when both halves have done all that they were given.
  virtual void finish_halves() noexcept = 0;
  virtual void clear(DeviceBytes fault) noexcept = 0;
  /// Into `to`, by the time the kernels are finished.
  virtual void read(DeviceBytes fault, Fault& to) noexcept = 0;
  // What a code says.
  virtual const char* reason_of(int code) const noexcept = 0;
  virtual std::string text_of_code(int code) const = 0;
  virtual void tell_device(int code, bool while_waiting) noexcept = 0;

  /// That of the copies before a point, if it is kept.
  std::deque<KeptEvent>::const_iterator kept(Event point) const noexcept;
  void keep(const char* reason, int code, const char* what, size_t bytes) noexcept;
  void keep(const Fault& fault) noexcept;
  const char* tell(std::string* detail) noexcept;

  OpenDevice& opened_;
  Event last_ = 0;
  Event done_ = 0;                ///< known to be
  std::deque<KeptEvent> points_;  ///< ascending; of some points
  bool has_copied_ = false;       ///< since the last of these
  std::deque<KeptEvent> behind_;  ///< one of each so many kernels that the device may still be busy with
  size_t kernels_given_ = 0;      ///< since the last of these
  const char* failure_ = nullptr;
  std::string detail_;
  std::shared_ptr<void> faults_;  ///< a Fault; made at first use
  Fault fault_{};                 ///< what was read of it: here, as a driver that fails may still write it later
  bool may_run_ahead_ = false;
  bool may_have_faults_ = false;  ///< work that was given since `finish` may write there
};

}  // namespace coracle::internal::gpu
