// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace coracle {

/// A file that is there whole or not at all: it is written under another name in the same folder, which commit() brings
/// to the disk and then changes to its own. What stood there before stays until then, and stays as it is for those who
/// have it open or mapped. Nobody has the permission to write it, so that it may be mapped.
class NewFile {
 public:
  /// Throws Error (kIo), as all below, that names the file; also where something that is no regular file has its name.
  explicit NewFile(std::string path);
  /// Without commit() nothing stays.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const uint8_t> bytes);
  /// Zeros up to the next multiple of `alignment`.
  void pad(uint64_t alignment);
  uint64_t size() const { return size_; }
  void commit();

 private:
  void close();

  std::string path_;
  std::string written_;  ///< its name until it is whole; empty when it has its own
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace coracle
