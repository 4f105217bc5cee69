// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "devices/cuda/api.h"
#include "devices/gpu/program_cache.h"

namespace coracle::internal::cuda {

class Opened;

class Program final : public gpu::Program {
 public:
  Program(const DriverApi& api, CUmodule handle) : api_(api), handle_(handle) {}
  /// In the context that it was loaded in.
  ~Program() override { api_.cuModuleUnload(handle_); }

  CUmodule handle() const { return handle_; }

 private:
  const DriverApi& api_;
  CUmodule handle_;
};

class Programs final : public gpu::ProgramCache {
 public:
  /// Of a device that outlives it, used in its context.
  explicit Programs(Opened& device) : ProgramCache("CORACLE_CUDA_CACHE", "cuda"), device_(device) {}

 private:
  std::string identity(std::string_view definitions) const override;
  std::shared_ptr<const gpu::Program> load(std::span<const uint8_t> binary, std::string_view definitions) override;
  Built build(std::string_view name, const std::string& whole, std::string_view definitions) override;

  Opened& device_;
};

}  // namespace coracle::internal::cuda
