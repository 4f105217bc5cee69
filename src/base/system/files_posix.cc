// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/system/files.h"
#if defined(__linux__)
#include <sys/vfs.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace coracle::internal {
namespace {

struct Freed {
  void operator()(char* text) const { std::free(text); }
};

FileStatus as_status(const struct stat& info) {
  FileStatus status;
  status.size = static_cast<uint64_t>(info.st_size);
  status.device = static_cast<uint64_t>(info.st_dev);
  status.number = static_cast<uint64_t>(info.st_ino);
#if defined(__APPLE__)
  const timespec& modified = info.st_mtimespec;
#else
  const timespec& modified = info.st_mtim;
#endif
  status.modified = {.seconds = modified.tv_sec, .nanoseconds = modified.tv_nsec};
  status.permissions = info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  status.owner = info.st_uid;
  status.group = info.st_gid;
  status.is_regular = S_ISREG(info.st_mode);
  status.is_folder = S_ISDIR(info.st_mode);
  status.has_writers = (info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) != 0;
  status.is_private = info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return status;
}

}  // namespace

bool status_of(int file, FileStatus& status) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return false;
  status = as_status(info);
  return true;
}

bool status_of(const std::string& path, FileStatus& status) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  status = as_status(info);
  return true;
}

bool status_of_link(const std::string& path, FileStatus& status) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  status = as_status(info);
  return true;
}

// Not by std::filesystem, whose paths would be 13 kB of the light library.
std::string absolute_path(const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::unique_ptr<char, Freed> folder(::getcwd(nullptr, 0));
  if (folder == nullptr) return path;
  std::string absolute = folder.get();
  if (!absolute.ends_with('/')) absolute += '/';
  return absolute += path;
}

int open_to_read(const char* path) { return ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

int open_plain_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); }

int open_to_write(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }

void close_file(int file) { ::close(file); }

bool close_written(int file) { return ::close(file) == 0; }

int64_t read_at(int file, std::span<uint8_t> to, uint64_t offset) {
  return ::pread(file, to.data(), to.size(), static_cast<off_t>(offset));
}

bool read_next(int file, void* to, size_t bytes) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::read(file, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

const void* map_file(int file, uint64_t offset, size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void unmap_file(const void* mapped, size_t bytes) { ::munmap(const_cast<void*>(mapped), bytes); }

// Advice only: the mapping is private and read-only, and whatever fails leaves the bytes where they are.
void put_away_pages(const void* begin, size_t bytes) { ::madvise(const_cast<void*>(begin), bytes, MADV_DONTNEED); }

size_t page_size() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

bool is_on_local_disk([[maybe_unused]] int file) {
#if defined(__linux__)
  // Of ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, overlay, SquashFS, EROFS, ISO 9660 and ZFS. What others say of
  // permissions need not bind those who write there (network and user-space file systems).
  constexpr std::array<uint32_t, 10> kLocal = {0xEF53,     0x58465342, 0x9123683E, 0xF2F52010, 0x01021994,
                                               0x794C7630, 0x73717368, 0xE0F5E1E2, 0x9660,     0x2FC12FC1};
  struct statfs system {};
  return ::fstatfs(file, &system) == 0 &&
         std::find(kLocal.begin(), kLocal.end(), static_cast<uint32_t>(system.f_type)) != kLocal.end();
#else
  return false;
#endif
}

}  // namespace coracle::internal
