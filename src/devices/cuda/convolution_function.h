// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "devices/cuda/convolution_plan.h"
#include "devices/cuda/function.h"

namespace coracle::internal::cuda {

/// A device's handle of cuDNN, which is for one thread at a time.
struct ConvolutionHandle {
  cudnnHandle_t handle = nullptr;  ///< null: there is no cuDNN that works
  std::mutex mutex;
};

/// A convolution by cuDNN.
class ConvolutionFunction final : public Command {
 public:
  /// In the device's context; `handle` is the device's. Null where cuDNN does not take it.
  static std::shared_ptr<const ConvolutionFunction> make(std::shared_ptr<Opened> device, ConvolutionHandle& handle,
                                                         const gpu::ImageConvolution& convolution);
  ~ConvolutionFunction() override;
  ConvolutionFunction(const ConvolutionFunction&) = delete;
  ConvolutionFunction& operator=(const ConvolutionFunction&) = delete;

  /// Its groups are its own.
  size_t largest_group() const override { return 0; }
  size_t workspace() const override { return plan_->workspace(); }
  const std::string& name() const override { return name_; }
  /// Any grid does: cuDNN has its own.
  CUresult enqueue(CUstream stream, const gpu::Grid& grid,
                   std::span<const gpu::Argument> arguments) const noexcept override;
  std::string launch_text(const gpu::Grid& /*grid*/) const override { return name_; }

 private:
  ConvolutionFunction(std::shared_ptr<Opened> device, ConvolutionHandle& handle,
                      const gpu::ImageConvolution& convolution, std::unique_ptr<const ConvolutionPlan> plan);

  const std::shared_ptr<Opened> device_;
  ConvolutionHandle& handle_;
  const gpu::ImageConvolution convolution_;
  const std::string name_;
  std::unique_ptr<const ConvolutionPlan> plan_;
};

}  // namespace coracle::internal::cuda
