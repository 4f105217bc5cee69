// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/convolution_function.h"

#include <array>

#include "base/error.h"
#include "devices/cuda/convolution_choice.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

std::string convolution_text(const ConvolutionGeometry& g) {
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  return text("convolution of ", g.batch, " x ", g.in_channels, " x ", h.in, " x ", w.in, " by ", g.out_channels, " x ",
              g.in_channels / g.groups, " x ", h.kernel, " x ", w.kernel);
}

}  // namespace

ConvolutionFunction::ConvolutionFunction(std::shared_ptr<Opened> device, ConvolutionHandle& handle,
                                         const gpu::ImageConvolution& convolution,
                                         std::unique_ptr<const ConvolutionPlan> plan)
    : device_(std::move(device)),
      handle_(handle),
      convolution_(convolution),
      name_(convolution_text(convolution.sizes)),
      plan_(std::move(plan)) {}

std::shared_ptr<const ConvolutionFunction> ConvolutionFunction::make(std::shared_ptr<Opened> device,
                                                                     ConvolutionHandle& handle,
                                                                     const gpu::ImageConvolution& convolution) {
  std::unique_ptr<const ConvolutionPlan> plan;
  {
    const std::lock_guard lock(handle.mutex);
    plan = chosen_plan(*device, handle.handle, convolution);
  }
  if (plan == nullptr) return nullptr;
  return std::shared_ptr<const ConvolutionFunction>(
      new ConvolutionFunction(std::move(device), handle, convolution, std::move(plan)));
}

ConvolutionFunction::~ConvolutionFunction() {
  // In a forked child it would ask the driver.
  if (loaded_driver().api == nullptr) {
    static_cast<void>(plan_.release());
    return;
  }
  const ContextScope scope = device_->enter();
  plan_.reset();
}

CUresult ConvolutionFunction::enqueue(CUstream stream, const gpu::Grid& /*grid*/,
                                      std::span<const gpu::Argument> arguments) const noexcept {
  if (loaded_driver().api == nullptr) return CUDA_ERROR_DEINITIALIZED;  // in a forked child
  const auto address = [&](size_t i, size_t element) -> void* {
    const int64_t begin = *static_cast<const int64_t*>(arguments[i].value());
    return static_cast<char*>(*arguments[i].allocation()) + begin * static_cast<int64_t>(element);
  };
  const bool given[] = {true, true, true, convolution_.has_added, convolution_.has_bias};
  std::array<void*, 5> tensors{};
  size_t next = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (given[i] && next == arguments.size()) return CUDA_ERROR_INVALID_VALUE;
    if (given[i]) tensors[i] = address(next++, size_of(convolution_.type));
  }
  if (arguments.size() != next + (workspace() != 0 ? 1 : 0)) return CUDA_ERROR_INVALID_VALUE;
  void* const own = workspace() != 0 ? address(next, sizeof(float)) : nullptr;
  const std::lock_guard lock(handle_.mutex);
  return code_of_convolutions(plan_->run(handle_.handle, stream, tensors, own));
}

}  // namespace coracle::internal::cuda
