// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/system/file_status.h"

namespace coracle::internal {

/// Who may do what with a new file.
enum class FileAccess : uint8_t {
  kAnyone,   ///< as the process gives it to new files
  kReading,  ///< nobody may write it
  kOwner,    ///< nobody else may read it
};

// What writing a file takes that is there whole or not at all. What fails says why in errno.

/// Whether this process may write the file of that name.
bool may_write(const std::string& path);
/// A file without a name in a folder, for writing; -1 where the file system has none, or cannot name them later.
int make_unnamed_file(const std::string& folder, FileAccess access);
/// A file of that name, for writing, which may not be there; -1: errno says why not, EEXIST if it is.
int make_file(const std::string& path, FileAccess access);
/// Before a file of make_file() is closed: from now on it stays. Where the system can do that it was gone until then as
/// soon as nobody had it open any more, however the process ended.
bool keep_file(int file, FileAccess access);
/// Names a file that has none.
bool name_file(int file, const std::string& path);
/// Writes as much of `bytes` as the system takes at once, and drops that from their front. A file that becomes larger
/// than it may is a failure like others.
bool write_some(int file, std::span<const uint8_t>& bytes);
/// All that was written is on the disk.
bool synchronise(int file);
/// Gives a file owner and permissions of another one, as far as this user may.
void take_permissions(int file, const FileStatus& other);
/// Renames a file, whether or not one has the new name; who has that one open or mapped keeps it. On some systems that
/// one then has a name with this ending until it can be removed.
inline constexpr std::string_view kReplacedEnding = ".old";
bool replace_file(const std::string& from, const std::string& to);
/// So that new names are still there after a loss of power, where the file system needs that.
void synchronise_folder(const std::string& folder);
bool remove_file(const std::string& path);

}  // namespace coracle::internal
