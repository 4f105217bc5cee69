// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace coracle::internal {

/// A time by the clock of a file system, from 1970 on.
struct FileTime {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  auto operator<=>(const FileTime&) const = default;  // NOLINT(modernize-use-nullptr): none is here
};

/// What the system says of a file or a folder.
struct FileStatus {
  uint64_t size = 0;
  uint64_t device = 0;  ///< and `number`: tell it from every other one
  uint64_t number = 0;
  FileTime modified;
  uint32_t permissions = 0;  ///< as the system has them; with owner and group, 0 where it has no such
  uint32_t owner = 0;
  uint32_t group = 0;
  bool is_regular = false;
  bool is_folder = false;
  bool has_writers = true;  ///< somebody has the permission to write it
  bool is_private = false;  ///< this user's, and nobody else may write it
};

/// Of an open file, or of what a path leads to; paths are UTF-8 everywhere. False: errno says why not.
bool status_of(int file, FileStatus& status);
bool status_of(const std::string& path, FileStatus& status);
/// Of a link itself.
bool status_of_link(const std::string& path, FileStatus& status);

}  // namespace coracle::internal
