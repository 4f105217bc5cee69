// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "devices/cuda/api.h"
#include "devices/cuda/recorded_commands.h"
#include "devices/gpu/open_gpu.h"

namespace coracle::internal::cuda {

class Opened;

/// Queue by two streams, one of kernels and one of copies between host and device, with events where
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
  bool begin_recording() noexcept override;
  std::unique_ptr<Recording> end_recording() noexcept override;
  void replay(Recording& recording) noexcept override;
  void profile(bool on) noexcept override;
  Span span(Event from, Event to) noexcept override;
  void launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
              std::span<const gpu::Argument> arguments) noexcept override;
  DeviceBytes faults() noexcept override;

  bool failed() const noexcept { return failure_ != nullptr; }
  /// For each kernel that was given. Where the run may be cancelled or has a time limit (`may_end`), it waits until the
  /// device is no more than some dozens of kernels behind: what was given is done whatever happens, and nobody looks at
  /// limits while the end of it is waited for.
  void note_kernel(bool may_end) noexcept;

 private:
  struct KeptEvent {
    Event point;
    CUevent event;
  };
  /// A command that was given while profiling, between two events.
  struct Timed {
    Event point;
    CUevent begin;
    CUevent end;
  };
  CUstream make() const;
  /// Gives a stream what `f` gives the driver, with its times where they are wanted. The text of a failure is made of
  /// `what` ("kernel conv2d") and `bytes`, if there are any.
  template <class F>
  void give(CUstream stream, const char* what, size_t bytes, const F& f) noexcept;
  void note(CUresult code, const char* what, size_t bytes) noexcept;
  void forget_times() noexcept;
  /// Returns when both have done all that they were given.
  CUresult finish_all() noexcept;
  /// The event of all commands that a stream was given so far; null after a failure, which is noted.
  CUevent event_of(CUstream stream, unsigned flags = CU_EVENT_DISABLE_TIMING) noexcept;
  /// That of the copies before a point, if it is kept.
  std::deque<KeptEvent>::const_iterator kept(Event point) const noexcept;
  void keep(const char* reason, CUresult code, const char* what, size_t bytes) noexcept;
  const char* tell(std::string* detail) noexcept;
  void release(std::deque<KeptEvent>& events, size_t count) noexcept;
  /// Waits for an event; a failure is noted.
  bool await(CUevent event) noexcept;
  void clear_faults() noexcept;
  void keep(const Fault& fault) noexcept;

  std::shared_ptr<Opened> device_;
  const DriverApi& api_;
  CUstream kernels_ = nullptr;
  CUstream copies_ = nullptr;
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
  bool may_have_faults_ = false;  ///< work that was given since `finish` may write there
  std::unique_ptr<RecordedCommands> recorded_;  ///< null: commands are given
  bool profiling_ = false;
  std::deque<Timed> commands_;  ///< those given while profiling, with the point before them
};

}  // namespace coracle::internal::cuda
