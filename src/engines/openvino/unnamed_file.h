// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coracle::internal::openvino {

/// A file for a library to fill that writes to files alone: in memory where the system can, else in TMPDIR. It goes
/// with this object.
class UnnamedFile {
 public:
  /// Throws Error.
  UnnamedFile();
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  const char* path() const { return path_.c_str(); }
  /// All that was written to it. Throws Error where the last of it may have found no room: who wrote may not have
  /// looked, but another page finds none either.
  std::vector<uint8_t> content() const;

 private:
  std::string path_;
  int file_ = -1;
  bool has_name_ = false;
};

}  // namespace coracle::internal::openvino
