// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>

#include "devices/gpu/driver_queue.h"
#include "devices/opencl/api.h"

namespace coracle::internal::opencl {

class Opened;

/// Queue by two command queues in order.
class CommandQueue final : public gpu::DriverQueue {
 public:
  /// Throws Error.
  explicit CommandQueue(std::shared_ptr<Opened> device);
  ~CommandQueue() override;
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  void upload(const void* from, DeviceBytes to, size_t bytes) noexcept override;
  void download(DeviceBytes from, void* to, size_t bytes) noexcept override;
  void copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept override;
  void profile(bool on) noexcept override;
  Span span(Event from, Event to) noexcept override;
  void launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
              std::span<const gpu::Argument> arguments) noexcept override;

  const Api& api() const { return api_; }
  /// That of kernels.
  cl_command_queue handle() const { return kernels_; }
  /// Where the event of the next command is to be written: null where nobody wants it.
  cl_event* next_event() noexcept { return profiling_ ? &event_ : nullptr; }

 private:
  cl_command_queue make(cl_command_queue_properties properties) const;
  /// Notes a command, and keeps its event where times are wanted.
  void given(cl_int code, const char* what, size_t bytes) noexcept;

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
  const Api& api_;
  cl_command_queue kernels_ = nullptr;
  cl_command_queue copies_ = nullptr;
  bool profiling_ = false;
  bool has_times_ = false;  ///< the driver keeps times for both
  cl_event event_ = nullptr;
  std::deque<KeptEvent> commands_;  ///< those given while profiling, with the point before them
};

}  // namespace coracle::internal::opencl
