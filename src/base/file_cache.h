// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coracle {

/// What took long to make, as bytes in a folder, one file each, shared with other processes. What cannot be read or
/// written is as if it were not there: nothing here fails.
class FileCache {
 public:
  /// No folder: keeps nothing. It is made with the first file. `bytes`: of all files together.
  FileCache(std::string folder, size_t bytes) : folder_(std::move(folder)), bytes_(bytes) {}

  /// What an environment variable says (nothing: no cache), else coracle/`name` in XDG_CACHE_HOME or ~/.cache.
  static std::string default_folder(const char* variable, std::string_view name);

  bool on() const { return !folder_.empty(); }
  /// What was kept under exactly this key, by this user.
  std::optional<std::vector<uint8_t>> find(const std::string& key) const;
  /// What was not used for longest goes where there are too many bytes.
  void keep(const std::string& key, std::span<const uint8_t> content) const;

 private:
  std::string file_of(std::string_view key) const;
  void remove_oldest() const;

  std::string folder_;
  size_t bytes_;
};

}  // namespace coracle
