// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>

#include "devices/cuda/api.h"
#include "devices/cuda/recorded_commands.h"
#include "devices/gpu/driver_queue.h"
#include "plan/kernel_turns.h"
#include "plan/shared_device.h"
#include "plan/step_ranges.h"

namespace coracle::internal::cuda {

class Opened;

/// Queue by two streams.
class CommandQueue final : public gpu::DriverQueue, public KernelTurns, public StepRanges, public StreamFollower {
 public:
  /// Throws Error.
  explicit CommandQueue(std::shared_ptr<Opened> device);
  ~CommandQueue() override;
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  void upload(const void* from, DeviceBytes to, size_t bytes) noexcept override;
  void download(DeviceBytes from, void* to, size_t bytes) noexcept override;
  void copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept override;
  bool begin_recording() noexcept override;
  std::unique_ptr<Recording> end_recording() noexcept override;
  void replay(Recording& recording) noexcept override;
  void profile(bool on) noexcept override;
  Span span(Event from, Event to) noexcept override;
  void launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
              std::span<const gpu::Argument> arguments) noexcept override;

  void begin_turn() noexcept override;
  void end_turn() noexcept override;
  void follow(const StreamPoint& point) noexcept override;
  void run_ahead(bool on) noexcept override { set_may_run_ahead(on); }
  std::shared_ptr<const StreamPoint> leave(const StreamPoint& of_stream) noexcept override;

  bool shows_ranges() const noexcept override;
  void begin_range(const char* name) noexcept override;
  void end_range() noexcept override;

  // The same in the device's context.
  Event record() noexcept override;
  void order_after(Event point) noexcept override;
  const char* wait(Event point, std::string* detail) noexcept override;
  const char* finish(std::string* detail) noexcept override;
  DeviceBytes faults() noexcept override;

 private:
  /// A command that was given while profiling, between two events.
  struct Timed {
    Event point;
    CUevent begin;
    CUevent end;
  };
  CUstream make() const;
  /// Gives a stream what `f` gives the driver, with its times where they are wanted.
  template <class F>
  void give(CUstream stream, const char* what, size_t bytes, const F& f) noexcept;
  CUevent recorded_event(CUstream stream, unsigned flags) noexcept;
  void forget_times() noexcept;

  DriverEvent event_of(Half half) noexcept override;
  void release_event(DriverEvent event) noexcept override;
  bool await(DriverEvent event) noexcept override;
  void hold_kernels(DriverEvent event) noexcept override;
  void finish_halves() noexcept override;
  void clear(DeviceBytes fault) noexcept override;
  void read(DeviceBytes fault, Fault& to) noexcept override;
  const char* reason_of(int code) const noexcept override;
  std::string text_of_code(int code) const override { return code_text(code); }
  void tell_device(int code, bool while_waiting) noexcept override;

  std::shared_ptr<Opened> device_;
  const DriverApi& api_;
  CUstream kernels_ = nullptr;
  CUstream copies_ = nullptr;
  std::unique_ptr<RecordedCommands> recorded_;  ///< null: commands are given
  bool has_turn_ = false;
  bool profiling_ = false;
  std::deque<Timed> commands_;  ///< those given while profiling, with the point before them
};

}  // namespace coracle::internal::cuda
