// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "devices/gpu/launch.h"
#include "devices/opencl/programs.h"

namespace coracle::internal::opencl {

class CommandQueue;

/// A function of a program.
class Function final : public gpu::Function {
 public:
  /// `source` names the program in messages. Throws Error.
  Function(std::shared_ptr<Opened> device, std::shared_ptr<const Program> program, std::string_view source,
           std::string_view name);
  ~Function() override;
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  size_t largest_group() const override { return largest_group_; }
  const std::string& name() const { return name_; }
  cl_int enqueue(CommandQueue& queue, const gpu::Grid& grid, std::span<const gpu::Argument> arguments) const noexcept;

 private:
  std::shared_ptr<Opened> device_;
  std::shared_ptr<const Program> program_;
  std::string name_;
  cl_kernel kernel_ = nullptr;
  size_t largest_group_ = 1;
  mutable std::mutex mutex_;  ///< arguments are the kernel's until it is enqueued
};

}  // namespace coracle::internal::opencl
