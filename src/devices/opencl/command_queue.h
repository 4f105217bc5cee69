// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "devices/gpu/open_gpu.h"
#include "devices/opencl/api.h"

namespace coracle::internal::opencl {

class Opened;

/// Queue by two command queues in order, one of kernels and one of copies between host and device, with events where
/// one waits for the other.
class CommandQueue final : public gpu::GpuQueue {
 public:
  /// Throws Error.
  explicit CommandQueue(std::shared_ptr<Opened> device);
  ~CommandQueue() override;
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  void upload(const void* from, DeviceBytes to, size_t bytes) noexcept override;
  void download(DeviceBytes from, void* to, size_t bytes) noexcept override;
  void copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept override;
  Event record() noexcept override;
  void order_after(Event point) noexcept override;
  const char* wait(Event point, std::string* detail) noexcept override;
  const char* finish(std::string* detail) noexcept override;
  void profile(bool on) noexcept override;
  Span span(Event from, Event to) noexcept override;
  void launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
              std::span<const gpu::Argument> arguments) noexcept override;
  DeviceBytes faults() noexcept override;

  const Api& api() const { return api_; }
  /// That of kernels.
  cl_command_queue handle() const { return kernels_; }
  bool failed() const noexcept { return failure_ != nullptr; }
  /// Where the event of the next command is to be written: null where nobody wants it.
  cl_event* next_event() noexcept { return profiling_ ? &event_ : nullptr; }
  /// What the driver returned for a command that was given to it. The text of a failure is made of `what` ("kernel
  /// conv2d") and `bytes`, if there are any.
  void note(cl_int code, const char* what, size_t bytes) noexcept;

  /// For each kernel that was given. Where the run may be cancelled or has a time limit (`may_end`), it waits until the
  /// device is no more than some dozens of kernels behind: what was given is done whatever happens, and nobody looks at
  /// limits while the end of it is waited for.
  void note_kernel(bool may_end) noexcept;

 private:
  struct KeptEvent {
    Event point;
    cl_event event;
  };
  cl_command_queue make(cl_command_queue_properties properties) const;
  /// Returns when both have done all that they were given.
  cl_int finish_all() noexcept;
  /// The event of all commands that a queue was given so far; null after a failure, which is noted.
  cl_event event_of(cl_command_queue queue) noexcept;
  /// That of the copies before a point, if it is kept.
  std::deque<KeptEvent>::const_iterator kept(Event point) const noexcept;
  void keep(const char* reason, cl_int code, const char* what, size_t bytes) noexcept;
  const char* tell(std::string* detail) noexcept;
  void release(std::deque<KeptEvent>& events, size_t count) noexcept;
  /// Waits for an event; a failure is noted.
  bool await(cl_event event) noexcept;
  void clear_faults() noexcept;
  void keep(const Fault& fault) noexcept;

  std::shared_ptr<Opened> device_;
  const Api& api_;
  cl_command_queue kernels_ = nullptr;
  cl_command_queue copies_ = nullptr;
  Event last_ = 0;
  Event done_ = 0;                ///< known to be
  std::deque<KeptEvent> points_;  ///< ascending; of some points
  bool has_copied_ = false;       ///< since the last of these
  std::deque<KeptEvent> behind_;  ///< one of each so many kernels that the device may still be busy with
  size_t kernels_given_ = 0;      ///< since the last of these
  const char* failure_ = nullptr;
  std::string detail_;
  cl_mem faults_ = nullptr;       ///< a Fault; made at first use
  Fault fault_{};                 ///< what was read of it: here, as a driver that fails may still write it later
  bool may_have_faults_ = false;  ///< work that was given since `finish` may write there
  bool profiling_ = false;
  bool has_times_ = false;  ///< the driver keeps times for both
  cl_event event_ = nullptr;
  std::deque<KeptEvent> commands_;  ///< those given while profiling, with the point before them
};

}  // namespace coracle::internal::opencl
