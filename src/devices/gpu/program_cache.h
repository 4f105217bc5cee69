// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file_cache.h"
#include "devices/gpu/sources.h"

namespace coracle::internal::gpu {

/// One source, built for one device with given definitions.
class Program {
 public:
  virtual ~Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

 protected:
  Program() = default;
};

/// The programs of one device: those used last are kept, their binaries also on disk. A kind of device derives its own,
/// which builds them. For any number of threads.
class ProgramCache {
 public:
  virtual ~ProgramCache() = default;
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  /// Throws Error, with what the compiler says.
  std::shared_ptr<const Program> get(const Source& source, std::string_view definitions);
  void clear() { programs_.clear(); }
  /// Where a kind of device keeps what took long to make: in the folder that the environment variable names, by default
  /// in `folder` of the user's cache.
  static FileCache disk(const char* variable, const char* folder) {
    return {FileCache::default_folder(variable, folder), kMostBytesOnDisk};
  }

 protected:
  ProgramCache(const char* variable, const char* folder) : disk_(disk(variable, folder)) {}

  struct Built {
    std::shared_ptr<const Program> program;
    std::vector<uint8_t> binary;  ///< for `load`; empty: it is not kept on disk
  };
  bool keeps_binaries() const { return disk_.on(); }

 private:
  static constexpr size_t kMostBytesOnDisk = size_t{64} << 20U;
  struct Used {
    std::shared_ptr<const Program> program;
    uint64_t when = 0;
  };

  /// All that a binary is made of but the source: format, compiler, device, options. Throws Error.
  virtual std::string identity(std::string_view definitions) const = 0;
  /// Null where the driver does not take it.
  virtual std::shared_ptr<const Program> load(std::span<const uint8_t> binary, std::string_view definitions) = 0;
  /// `name` is that of the source in messages, `whole` its text with the prelude. Throws Error.
  virtual Built build(std::string_view name, const std::string& whole, std::string_view definitions) = 0;

  FileCache disk_;
  std::mutex mutex_;
  std::unordered_map<std::string, Used> programs_;
  uint64_t clock_ = 0;
};

}  // namespace coracle::internal::gpu
