// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "devices/cuda/programs.h"
#include "devices/gpu/launch.h"

namespace coracle::internal::cuda {

/// What a stream can be given.
class Command : public gpu::Function {
 public:
  virtual const std::string& name() const = 0;
  /// In the device's context. Returns a code as `code_text` names it; CUDA_ERROR_INVALID_VALUE where a grid is larger
  /// than the device's.
  virtual CUresult enqueue(CUstream stream, const gpu::Grid& grid,
                           std::span<const gpu::Argument> arguments) const noexcept = 0;
  /// "70000 x 1 x 1 blocks of 64 x 1 x 1 threads; there may be ...": what a launch that fails was asked for.
  virtual std::string launch_text(const gpu::Grid& grid) const = 0;
};

/// A function of a program.
class Function final : public Command {
 public:
  /// `source` names the program in messages. Throws Error.
  Function(std::shared_ptr<Opened> device, std::shared_ptr<const Program> program, std::string_view source,
           std::string_view name);
  ~Function() override;
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  size_t largest_group() const override { return largest_group_; }
  const std::string& name() const override { return name_; }
  CUresult enqueue(CUstream stream, const gpu::Grid& grid,
                   std::span<const gpu::Argument> arguments) const noexcept override;
  std::string launch_text(const gpu::Grid& grid) const override;

 private:
  std::shared_ptr<Opened> device_;
  std::shared_ptr<const Program> program_;
  std::string name_;
  CUfunction function_ = nullptr;
  size_t largest_group_ = 1;
};

}  // namespace coracle::internal::cuda
