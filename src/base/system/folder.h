// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coracle::internal {

/// The names in a folder, one after the other. std::filesystem's iterator ends the process where it has no memory.
class Folder {
 public:
  explicit Folder(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// False: errno says why not.
  bool is_open() const { return folder_ != nullptr; }
  /// Of the next entry, "." and ".." among them, until the next call; null at the end (errno is 0) and where it cannot
  /// be read.
  const char* next();

 private:
  void* folder_;
  std::string name_;
};

}  // namespace coracle::internal
