// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file_cache.h"
#include "devices/cuda/api.h"
#include "devices/gpu/sources.h"

namespace coracle::internal::cuda {

class Opened;

/// One source, built for one device with given definitions.
class Program {
 public:
  Program(const DriverApi& api, CUmodule handle) : api_(api), handle_(handle) {}
  /// In the context that it was loaded in.
  ~Program() { api_.cuModuleUnload(handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CUmodule handle() const { return handle_; }

 private:
  const DriverApi& api_;
  CUmodule handle_;
};

/// The programs of one device: those used last are kept, their binaries also on disk. For any number of threads.
class Programs {
 public:
  Programs() : disk_(FileCache::default_folder("CORACLE_CUDA_CACHE", "cuda"), kMostBytesOnDisk) {}

  /// Throws Error, with what the compiler says.
  std::shared_ptr<const Program> get(Opened& device, const gpu::Source& source, std::string_view definitions);
  void clear() { programs_.clear(); }

 private:
  static constexpr size_t kMostBytesOnDisk = size_t{64} << 20U;
  struct Used {
    std::shared_ptr<const Program> program;
    uint64_t when = 0;
  };

  FileCache disk_;
  std::mutex mutex_;
  std::unordered_map<std::string, Used> programs_;
  uint64_t clock_ = 0;
};

}  // namespace coracle::internal::cuda
