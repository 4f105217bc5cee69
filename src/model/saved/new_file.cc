// SPDX-License-Identifier: Apache-2.0
#include "model/saved/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "base/error.h"
#include "base/printable.h"
#include "model/file.h"

namespace coracle {
namespace {

/// A name beside `path` that no other writer takes.
std::string name_beside(const std::string& path) {
  static std::atomic<uint32_t> count{0};
  return text(path, ".", ::getpid(), ".", count.fetch_add(1), ".tmp");
}

/// So that the new name is still there after a loss of power. Folders that cannot be opened or synchronised keep it as
/// well as their file system does.
void synchronise_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  const int fd = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  struct stat there {};
  require(::stat(path_.c_str(), &there) != 0 || S_ISREG(there.st_mode), ErrorCode::kIo, "cannot write ",
          in_quotes(path_), ": what has this name is not a regular file");
  constexpr int kAttempts = 100;  // what another process of this number left, as in a container
  for (int i = 0; fd_ < 0 && i < kAttempts; ++i) {
    written_ = name_beside(path_);
    fd_ = ::open(written_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IRGRP | S_IROTH);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) fail_io(path_, "cannot write");
}

NewFile::~NewFile() {
  close();
  if (!written_.empty()) ::unlink(written_.c_str());
}

void NewFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void NewFile::write(std::span<const uint8_t> bytes) {
  constexpr size_t kAtATime = size_t{1} << 30U;  // the system takes no more
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), std::min(bytes.size(), kAtATime));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_io(path_, "cannot write");
    bytes = bytes.subspan(static_cast<size_t>(count));
    size_ += static_cast<uint64_t>(count);
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
  if (::fsync(fd_) != 0) fail_io(path_, "cannot write");
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail_io(path_, "cannot write");
  if (::rename(written_.c_str(), path_.c_str()) != 0) fail_io(path_, "cannot write");
  written_.clear();
  synchronise_folder(path_);
}

}  // namespace coracle
