// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_size_signal_guard.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

constexpr int kAttempts = 100;  // what another process of this number left, as in a container

[[noreturn]] void fail_writing(const std::string& path) {
  const int reason = errno;
  fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, "cannot write ", in_quotes(path), ": ",
       std::strerror(reason));
}

/// A name beside `path` that no other writer takes.
std::string name_beside(const std::string& path) {
  static std::atomic<uint32_t> count{0};
  return text(path, ".", ::getpid(), ".", count.fetch_add(1), ".tmp");
}

std::string containing_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

/// How a file without a name is given one.
std::string as_process_has_it(int fd) { return text("/proc/self/fd/", fd); }

/// So that the new name is still there after a loss of power. Folders that cannot be opened or synchronised keep it as
/// well as their file system does.
void synchronise_folder(const std::string& path) {
  const int fd = ::open(containing_folder(path).c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// Where a file of that name is, or will be: links may point to what is not there yet.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::filesystem::path place(path);
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code not_a_link;
    const std::filesystem::path target = std::filesystem::read_symlink(place, not_a_link);
    if (not_a_link) break;
    place = place.parent_path() / target;  // the target alone where it is absolute
  }
  return place.string();
}

/// Writes as much as the system takes at once. False: errno says why not.
bool write_some(int fd, std::span<const uint8_t>& bytes) {
  constexpr size_t kAtATime = size_t{16} << 20U;
  const FileSizeSignalGuard quiet;
  const ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), kAtATime));
  if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
  return count >= 0 || errno == EINTR;
}

void write_in_place(const std::string& path, std::span<const uint8_t> content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail_writing(path);
  bool works = true;
  while (works && !content.empty()) works = write_some(fd, content);
  const int reason = errno;
  const int closed = ::close(fd);
  if (!works) errno = reason;
  if (!works || closed != 0) fail_writing(path);
}

}  // namespace

NewFile::NewFile(std::string path, For whom)
    : path_(std::move(path)), place_(whom == For::kOwner ? path_ : behind_links(path_)) {
  struct stat old {};
  const bool replaces = ::stat(place_.c_str(), &old) == 0;
  require(!replaces || S_ISREG(old.st_mode), ErrorCode::kIo, "cannot write ", in_quotes(path_),
          ": what has this name is not a regular file");
  if (replaces && whom == For::kAnyone && ::access(place_.c_str(), W_OK) != 0) fail_writing(path_);
  constexpr mode_t kAnyone = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;  // less the process's mask
  constexpr mode_t kReading = S_IRUSR | S_IRGRP | S_IROTH;
  constexpr mode_t kOwner = S_IRUSR | S_IWUSR;
  const mode_t mode = whom == For::kAnyone ? kAnyone : whom == For::kReading ? kReading : kOwner;
  if (!make_unnamed(mode)) make_named(mode);
  if (!replaces || whom != For::kAnyone) return;
  // Owner and group as far as this user may give them: the permissions follow, as a change of owner takes some.
  [[maybe_unused]] const int given = ::fchown(fd_, old.st_uid, old.st_gid);
  [[maybe_unused]] const int permitted = ::fchmod(fd_, old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO));
}

bool NewFile::make_unnamed(mode_t mode) {
#if defined(O_TMPFILE)
  fd_ = ::open(containing_folder(place_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (fd_ >= 0 && ::access(as_process_has_it(fd_).c_str(), F_OK) == 0) return true;
  close();
#endif
  return false;
}

void NewFile::make_named(mode_t mode) {
  held_.emplace();
  for (int i = 0; fd_ < 0 && i < kAttempts; ++i) {
    std::string name = name_beside(place_);
    fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd_ >= 0) temporary_ = std::move(name);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) fail_writing(path_);
}

NewFile::~NewFile() {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void NewFile::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const size_t before = bytes.size();
    if (!write_some(fd_, bytes)) fail_writing(path_);
    size_ += before - bytes.size();
    if (held_ && HeldSignals::any_waits()) {
      fail(ErrorCode::kCancelled, "writing ", in_quotes(path_), " was interrupted by a signal");
    }
  }
}

void NewFile::pad(uint64_t alignment) {
  static constexpr std::array<uint8_t, 4096> kZeros{};
  for (uint64_t left = (alignment - size_ % alignment) % alignment; left != 0;) {
    const uint64_t count = std::min<uint64_t>(left, kZeros.size());
    write({kZeros.data(), static_cast<size_t>(count)});
    left -= count;
  }
}

void NewFile::commit() {
  finish();
  put();
}

void NewFile::finish() {
  if (::fsync(fd_) != 0) fail_writing(path_);
  if (!held_) held_.emplace();
  for (int i = 0; temporary_.empty(); ++i) {
    std::string name = name_beside(place_);
    if (::linkat(AT_FDCWD, as_process_has_it(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);
    } else if (errno != EEXIST || i == kAttempts) {
      fail_writing(path_);
    }
  }
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail_writing(path_);
}

void NewFile::put() {
  if (::rename(temporary_.c_str(), place_.c_str()) != 0) fail_writing(path_);
  temporary_.clear();
  held_.reset();
  synchronise_folder(place_);
}

void write_files(std::span<const NamedContent> files) {
  std::vector<std::unique_ptr<NewFile>> made;
  for (const NamedContent& file : files) {
    struct stat there {};
    if (::stat(file.path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
      write_in_place(file.path, file.content);
      continue;
    }
    made.push_back(std::make_unique<NewFile>(file.path, NewFile::For::kAnyone));
    made.back()->write(file.content);
  }
  for (const auto& file : made) file->finish();  // signals wait from the first name on to the last
  for (const auto& file : made) file->put();
}

}  // namespace coracle::internal
