// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coracle::opencl {

/// Binaries of programs in a folder, one file each, shared with other processes. What cannot be read or written is as
/// if it were not there: nothing here fails.
class BinaryCache {
 public:
  static constexpr size_t kDefaultBytes = size_t{64} << 20U;

  /// No folder: keeps nothing. It is made with the first binary.
  BinaryCache(std::string folder, size_t bytes) : folder_(std::move(folder)), bytes_(bytes) {}

  /// What CORACLE_OPENCL_CACHE says (nothing: no cache), else coracle/opencl in XDG_CACHE_HOME or ~/.cache.
  static std::string default_folder();

  bool on() const { return !folder_.empty(); }
  /// The binary that was kept under exactly this key, by this user.
  std::optional<std::vector<uint8_t>> find(const std::string& key) const;
  /// Oldest binaries go where there are too many bytes.
  void keep(const std::string& key, std::span<const uint8_t> binary) const;

 private:
  std::string file_of(std::string_view key) const;
  void remove_oldest() const;

  std::string folder_;
  size_t bytes_;
};

}  // namespace coracle::opencl
