// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "devices/cuda/convolution_function.h"
#include "devices/cuda/library_choices.h"
#include "devices/cuda/nvtx.h"
#include "devices/cuda/probe.h"
#include "devices/cuda/programs.h"
#include "devices/cuda/turns.h"
#include "devices/gpu/open_gpu.h"
#include "plan/shared_device.h"

namespace coracle::internal::cuda {

/// Makes a context the calling thread's, until its end.
class ContextScope {
 public:
  ContextScope(const DriverApi& api, CUcontext context) noexcept
      : api_(api), pushed_(api.cuCtxPushCurrent_v2(context) == CUDA_SUCCESS) {}
  ~ContextScope() {
    CUcontext context = nullptr;
    if (pushed_) api_.cuCtxPopCurrent_v2(&context);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const DriverApi& api_;
  bool pushed_;
};

/// A device with its primary context, which it shares with whatever else uses CUDA in this process.
class Opened final : public gpu::OpenGpu, public SharedDevice, public std::enable_shared_from_this<Opened> {
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
  std::shared_ptr<const gpu::Function> product(const gpu::Product& product) override;
  std::shared_ptr<const gpu::Function> convolution(const gpu::ImageConvolution& convolution) override;
  bool lost() const noexcept override { return lost_.load(std::memory_order_relaxed); }

  // What users have on the device themselves (user_stream.cc).
  std::string name() const override;
  int number() const override { return found_.device; }
  size_t kernel_alignment() const override;
  void check_memory(const void* address, size_t bytes) const override;
  void check_stream(void* stream) const override;
  std::shared_ptr<const StreamPoint> point_of(void* stream) override;

  const DriverApi& api() const { return api_; }
  const FoundDevice& found() const { return found_; }
  /// Whether queues make CUDA graphs of what they record.
  bool uses_graphs() const { return uses_graphs_; }
  /// Where queues show what they do; null where nobody looks.
  const RangeFunctions* ranges() const { return ranges_; }
  Turns& turns() noexcept { return turns_; }
  LibraryChoices& choices() noexcept { return choices_; }
  ContextScope enter() const noexcept { return {api_, context_}; }
  /// Looks at a code that the driver returned: some say that the device or its context is gone.
  void note(CUresult code) noexcept;

 private:
  void require_there() const;

  const DriverApi& api_;
  FoundDevice found_;
  CUcontext context_ = nullptr;
  const bool uses_graphs_;
  const RangeFunctions* const ranges_;
  std::atomic<bool> lost_ = false;
  Turns turns_;
  Programs programs_{*this};
  LibraryChoices choices_;
  std::once_flag products_asked_;
  cublasLtHandle_t products_ = nullptr;  ///< null: there is no cuBLASLt that works
  std::once_flag convolutions_asked_;
  ConvolutionHandle convolutions_;
};

/// Device `index` of the probe; the one that is open already where there is one. Throws Error.
std::shared_ptr<OpenDevice> open(int index);
/// The index of the device that the driver knows by that number; -1 where the probe has none of it.
int index_of(int number);

}  // namespace coracle::internal::cuda
