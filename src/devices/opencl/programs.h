// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "devices/gpu/program_cache.h"
#include "devices/opencl/api.h"

namespace coracle::internal::opencl {

class Opened;

class Program final : public gpu::Program {
 public:
  Program(const Api& api, cl_program handle) : api_(api), handle_(handle) {}
  ~Program() override { api_.clReleaseProgram(handle_); }

  cl_program handle() const { return handle_; }

 private:
  const Api& api_;
  cl_program handle_;
};

class Programs final : public gpu::ProgramCache {
 public:
  /// Of a device that outlives it.
  explicit Programs(Opened& device) : ProgramCache("CORACLE_OPENCL_CACHE", "opencl"), device_(device) {}

 private:
  std::string identity(std::string_view definitions) const override;
  std::shared_ptr<const gpu::Program> load(std::span<const uint8_t> binary, std::string_view definitions) override;
  Built build(std::string_view name, const std::string& whole, std::string_view definitions) override;

  Opened& device_;
};

}  // namespace coracle::internal::opencl
