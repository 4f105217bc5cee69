// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file_cache.h"
#include "devices/gpu/sources.h"
#include "devices/opencl/api.h"

namespace coracle::internal::opencl {

class Opened;

/// One source, built for one device with given definitions.
class Program {
 public:
  Program(const Api& api, cl_program handle) : api_(api), handle_(handle) {}
  ~Program() { api_.clReleaseProgram(handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  cl_program handle() const { return handle_; }

 private:
  const Api& api_;
  cl_program handle_;
};

/// The programs of one device: those used last are kept, their binaries also on disk. For any number of threads.
class Programs {
 public:
  Programs() : disk_(FileCache::default_folder("CORACLE_OPENCL_CACHE", "opencl"), kMostBytesOnDisk) {}

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

}  // namespace coracle::internal::opencl
