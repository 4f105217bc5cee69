// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/system/kept_files.h"

namespace coracle::internal {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

bool make_folders(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (end == std::string::npos) return true;
  }
}

bool make_folder(const std::string& path) { return ::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST; }

void mark_used(int file) { ::futimens(file, nullptr); }

bool time_of_change(const std::string& path, FileTime& time) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
#if defined(__APPLE__)
  time = {info.st_ctimespec.tv_sec, info.st_ctimespec.tv_nsec};
#else
  time = {info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
#endif
  return true;
}

int open_lock(const std::string& path) { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600); }

LockAttempt try_lock(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return LockAttempt::kHeld;
  return errno == EWOULDBLOCK || errno == EINTR ? LockAttempt::kTaken : LockAttempt::kImpossible;
}

void give_up_lock(int file, const std::string& path) {
  ::unlink(path.c_str());
  ::flock(file, LOCK_UN);  // also where a forked child has the file, too
  ::close(file);
}

std::string user_cache_folder() {
  std::string root = environment("XDG_CACHE_HOME");
  if (!root.empty() && root.front() == '/') return root;
  const std::string home = environment("HOME");
  return home.empty() || home.front() != '/' ? std::string() : home + "/.cache";
}

}  // namespace coracle::internal
