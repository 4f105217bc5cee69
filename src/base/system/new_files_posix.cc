// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/system/file_size_signal_guard.h"
#include "base/system/new_files.h"

namespace coracle::internal {
namespace {

mode_t mode_of(FileAccess access) {
  constexpr mode_t kAnyone = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;  // less the process's mask
  constexpr mode_t kReading = S_IRUSR | S_IRGRP | S_IROTH;
  constexpr mode_t kOwner = S_IRUSR | S_IWUSR;
  return access == FileAccess::kAnyone ? kAnyone : access == FileAccess::kReading ? kReading : kOwner;
}

/// How a file without a name is given one.
std::string as_process_has_it(int file) { return "/proc/self/fd/" + std::to_string(file); }

}  // namespace

bool may_write(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

int make_unnamed_file([[maybe_unused]] const std::string& folder, [[maybe_unused]] FileAccess access) {
#if defined(O_TMPFILE)
  const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode_of(access));
  if (file >= 0 && ::access(as_process_has_it(file).c_str(), F_OK) == 0) return file;
  if (file >= 0) ::close(file);
#endif
  return -1;
}

int make_file(const std::string& path, FileAccess access) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_of(access));
}

bool keep_file(int /*file*/, FileAccess /*access*/) { return true; }

bool name_file(int file, const std::string& path) {
  return ::linkat(AT_FDCWD, as_process_has_it(file).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool write_some(int file, std::span<const uint8_t>& bytes) {
  constexpr size_t kAtATime = size_t{16} << 20U;
  const FileSizeSignalGuard quiet;
  const ssize_t count = ::write(file, bytes.data(), std::min(bytes.size(), kAtATime));
  if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
  return count >= 0 || errno == EINTR;
}

bool synchronise(int file) { return ::fsync(file) == 0; }

// Owner and group before the permissions: some of these go with a change of owner.
void take_permissions(int file, const FileStatus& other) {
  [[maybe_unused]] const int given = ::fchown(file, other.owner, other.group);
  [[maybe_unused]] const int permitted = ::fchmod(file, static_cast<mode_t>(other.permissions));
}

bool replace_file(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

void synchronise_folder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

bool remove_file(const std::string& path) { return ::unlink(path.c_str()) == 0; }

}  // namespace coracle::internal
