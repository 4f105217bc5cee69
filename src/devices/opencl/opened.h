// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "devices/gpu/open_gpu.h"
#include "devices/opencl/probe.h"
#include "devices/opencl/programs.h"

namespace coracle::internal::opencl {

/// A device with a context of its own.
class Opened final : public gpu::OpenGpu, public std::enable_shared_from_this<Opened> {
 public:
  /// Throws Error.
  explicit Opened(FoundDevice found);
  ~Opened() override;
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  const DeviceInfo& info() const override { return found_.info; }
  std::unique_ptr<coracle::internal::Queue> make_queue() override;
  std::shared_ptr<void> allocate(size_t bytes) override;
  std::shared_ptr<void> allocate_host(size_t bytes) override;
  std::shared_ptr<const gpu::Function> compile(const gpu::Source& source, std::string_view name,
                                               std::string_view definitions) override;
  bool lost() const noexcept override { return lost_.load(std::memory_order_relaxed); }

  const Api& api() const { return api_; }
  cl_context context() const { return context_; }
  cl_device_id id() const { return found_.device; }
  const std::string& identity() const { return found_.identity; }
  /// Looks at a code that the driver returned: some say that the device is gone.
  void note(cl_int code, bool while_waiting) noexcept;

 private:
  cl_mem make_buffer(cl_mem_flags flags, size_t bytes, const char* what);

  const Api& api_;
  FoundDevice found_;
  cl_context context_ = nullptr;
  cl_command_queue mapping_ = nullptr;  ///< maps and unmaps host memory; used by any thread
  std::atomic<bool> lost_ = false;
  Programs programs_{*this};
};

/// Device `index` of the probe; the one that is open already where there is one. Throws Error.
std::shared_ptr<OpenDevice> open(int index);

}  // namespace coracle::internal::opencl
