// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/pages.h"
#include "base/printable.h"

namespace coracle::internal {

void fail_io(const std::string& name, std::string_view what) {
  const int reason = errno;
  fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, what, " ", in_quotes(name), ": ",
       std::strerror(reason));
}

namespace {

struct stat status_of(const Descriptor& fd, const std::string& name) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail_io(name, "cannot read");
  return info;
}

/// "12 bytes, modified 2024-05-17 08:30:00.000000000 UTC".
std::string described(const FileStamp& stamp) {
  tm utc{};
  gmtime_r(&stamp.modified.tv_sec, &utc);
  std::array<char, 40> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S", &utc);
  std::string fraction = std::to_string(stamp.modified.tv_nsec);
  fraction.insert(0, 9 - std::min<size_t>(fraction.size(), 9), '0');
  return text(stamp.size, " bytes, modified ", date.data(), ".", fraction, " UTC");
}

/// Compares a file with what it was.
void require_same(const FileStamp& expected, const FileStamp& found) {
  const char* how = nullptr;
  if (found.inode != expected.inode) {
    how = "was replaced by another file";
  } else if (found.size != expected.size) {
    how = found.size < expected.size ? "was cut short" : "has grown";
  } else if (found.modified.tv_sec != expected.modified.tv_sec || found.modified.tv_nsec != expected.modified.tv_nsec) {
    how = "was written to";
  }
  require(how == nullptr, ErrorCode::kIo, "the model's file ", in_quotes(expected.path), " ", how == nullptr ? "" : how,
          ": expected ", described(expected), "; found ", described(found));
}

size_t page_size() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

void FileBytes::put_away(std::span<const uint8_t> part) const {
  if (!mapped || part.empty()) return;
  // Pages are read again where others need them: the one that `part` begins in may go too.
  const size_t lead = reinterpret_cast<uintptr_t>(part.data()) % page_size();
  const size_t whole = (lead + part.size()) / page_size() * page_size();
  // Advice only: the mapping is private and read-only, and whatever fails leaves the bytes where they are.
  if (whole != 0) ::madvise(const_cast<uint8_t*>(part.data()) - lead, whole, MADV_DONTNEED);
}

FileStamp FileStamp::of(std::string path, const struct stat& info) {
  return {.path = std::move(path),
          .size = static_cast<uint64_t>(info.st_size),
          .inode = static_cast<uint64_t>(info.st_ino),
          .modified = info.st_mtim};
}

void require_unchanged(const FileStamp& expected) {
  struct stat info {};
  if (::stat(expected.path.c_str(), &info) != 0) {
    fail(ErrorCode::kIo, "the model's file ", in_quotes(expected.path), " is gone: expected ", described(expected),
         "; found: ", std::strerror(errno));
  }
  require_same(expected, FileStamp::of(expected.path, info));
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void Descriptor::open(const char* name) { fd_ = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

std::optional<File> File::open(const std::string& name) {
  // The memory for it first: what is open is closed.
  const auto fd = std::make_shared<Descriptor>();
  fd->open(name.c_str());
  if (fd->get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail_io(name, "cannot open");
  }
  const struct stat info = status_of(*fd, name);
  require(S_ISREG(info.st_mode), ErrorCode::kIo, "cannot read ", in_quotes(name), ": it is not a regular file");
  std::error_code without_working_folder;
  const std::filesystem::path absolute = std::filesystem::absolute(name, without_working_folder);
  File file(FileBytes{.name = name, .owner = nullptr, .bytes = {}});
  file.size_ = static_cast<size_t>(info.st_size);
  file.fd_ = fd;
  file.stamp_ = FileStamp::of(without_working_folder ? name : absolute.string(), info);
  file.no_writer_ = (info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
  return file;
}

File File::part(std::string name, size_t offset, size_t size) const {
  File file = *this;
  file.memory_.name = std::move(name);
  file.start_ += offset;
  file.size_ = size;
  if (in_place() != nullptr) file.memory_.bytes = memory_.bytes.subspan(offset, size);
  return file;
}

File File::made(std::string name, size_t size, std::shared_ptr<MadeBytes> bytes) const {
  File file = *this;
  file.memory_ = {.name = std::move(name), .owner = nullptr, .bytes = {}};
  file.start_ = 0;
  file.size_ = size;
  file.made_ = std::move(bytes);
  return file;
}

void File::map() {
  if (fd_ == nullptr || made_ != nullptr || size_ == 0) return;
  const size_t lead = start_ % page_size();
  const size_t mapped = lead + size_;
  void* address = ::mmap(nullptr, mapped, PROT_READ, MAP_PRIVATE, fd_->get(), static_cast<off_t>(start_ - lead));
  if (address == MAP_FAILED) return;
  memory_.owner =
      std::shared_ptr<const void>(address, [mapped](const void* p) { ::munmap(const_cast<void*>(p), mapped); });
  memory_.bytes = {static_cast<const uint8_t*>(address) + lead, size_};
  memory_.mapped = true;
  fd_ = nullptr;
}

void File::map_as(Weights weights) {
  const bool maps = weights == Weights::kMapped || (weights == Weights::kAutomatic && is_protected());
  if (maps) map();
  if (!logs(LogLevel::kDebug)) return;
  log(LogLevel::kDebug, "weights of ", in_quotes(name()), maps ? " are mapped: " : " are copied: ",
      weights != Weights::kAutomatic ? "the model's options say so"
      : maps                         ? "nobody has permission to write the file, and it is on a local file system"
                                     : "the file is writable, or it is not on a local file system");
}

bool File::is_protected() const {
  if (fd_ == nullptr || made_ != nullptr || !no_writer_) return false;
  // Of ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, overlay, SquashFS, EROFS, ISO 9660 and ZFS. What others say of
  // permissions need not bind those who write there (network and user-space file systems).
  constexpr std::array<uint32_t, 10> kLocal = {0xEF53,     0x58465342, 0x9123683E, 0xF2F52010, 0x01021994,
                                               0x794C7630, 0x73717368, 0xE0F5E1E2, 0x9660,     0x2FC12FC1};
  struct statfs system {};
  return ::fstatfs(fd_->get(), &system) == 0 &&
         std::find(kLocal.begin(), kLocal.end(), static_cast<uint32_t>(system.f_type)) != kLocal.end();
}

size_t File::read(size_t offset, std::span<uint8_t> to) const {
  const size_t count = std::min(to.size(), size_ - std::min(offset, size_));
  if (made_ != nullptr) return made_->read(start_ + offset, to.first(count));
  if (fd_ == nullptr) {
    if (count != 0) std::memcpy(to.data(), memory_.bytes.data() + offset, count);
    return count;
  }
  constexpr size_t kAtATime = size_t{4} << 20U;  // so that time limits are looked at
  size_t at = 0;
  while (at < count) {
    context_->check();
    const ssize_t got =
        ::pread(fd_->get(), to.data() + at, std::min(count - at, kAtATime), static_cast<off_t>(start_ + offset + at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(name(), "cannot read");
    if (got == 0) break;
    at += static_cast<size_t>(got);
  }
  return at;
}

FileBytes File::read_all() const {
  if (in_place() != nullptr || size_ == 0) return memory_;
  const auto pages = std::make_shared<Pages>(size_);
  const std::span<uint8_t> to(reinterpret_cast<uint8_t*>(pages->data()), size_);
  const size_t got = read(0, to);
  require(got == size_, ErrorCode::kIo, "the file ", in_quotes(name()), " was cut short while it was read: expected ",
          counted(size_, "byte"), ", found ", got);
  require_unchanged();
  return {.name = name(), .owner = pages, .bytes = to};
}

void File::require_unchanged() const {
  if (fd_ != nullptr) require_same(*stamp_, FileStamp::of(stamp_->path, status_of(*fd_, name())));
}

}  // namespace coracle::internal
