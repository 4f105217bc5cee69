// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/pages.h"
#include "base/printable.h"
#include "base/system/clock.h"
#include "base/system/files.h"

namespace coracle::internal {

void fail_io(const std::string& name, std::string_view what) {
  const int reason = errno;
  fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, what, " ", in_quotes(name), ": ",
       std::strerror(reason));
}

namespace {

FileStatus opened_status(const Descriptor& fd, const std::string& name) {
  FileStatus status;
  if (!status_of(fd.get(), status)) fail_io(name, "cannot read");
  return status;
}

/// "12 bytes, modified 2024-05-17 08:30:00.000000000 UTC".
std::string described(const FileStamp& stamp) {
  const std::tm utc = utc_of(stamp.modified.seconds);
  std::array<char, 40> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S", &utc);
  std::string fraction = std::to_string(stamp.modified.nanoseconds);
  fraction.insert(0, 9 - std::min<size_t>(fraction.size(), 9), '0');
  return text(stamp.size, " bytes, modified ", date.data(), ".", fraction, " UTC");
}

/// Compares a file with what it was.
void require_same(const FileStamp& expected, const FileStamp& found) {
  const char* how = nullptr;
  if (found.number != expected.number) {
    how = "was replaced by another file";
  } else if (found.size != expected.size) {
    how = found.size < expected.size ? "was cut short" : "has grown";
  } else if (found.modified != expected.modified) {
    how = "was written to";
  }
  require(how == nullptr, ErrorCode::kIo, "the model's file ", in_quotes(expected.path), " ", how == nullptr ? "" : how,
          ": expected ", described(expected), "; found ", described(found));
}

}  // namespace

void FileBytes::put_away(std::span<const uint8_t> part) const {
  if (!mapped || part.empty()) return;
  // Pages are read again where others need them: the one that `part` begins in may go too.
  const size_t lead = reinterpret_cast<uintptr_t>(part.data()) % page_size();
  const size_t whole = (lead + part.size()) / page_size() * page_size();
  if (whole != 0) put_away_pages(part.data() - lead, whole);
}

FileStamp FileStamp::of(std::string path, const FileStatus& status) {
  return {.path = std::move(path), .size = status.size, .number = status.number, .modified = status.modified};
}

void require_unchanged(const FileStamp& expected) {
  FileStatus status;
  if (!status_of(expected.path, status)) {
    fail(ErrorCode::kIo, "the model's file ", in_quotes(expected.path), " is gone: expected ", described(expected),
         "; found: ", std::strerror(errno));
  }
  require_same(expected, FileStamp::of(expected.path, status));
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close_file(fd_);
}

void Descriptor::open(const char* name) { fd_ = open_to_read(name); }

std::optional<File> File::open(const std::string& name) {
  // The memory for it first: what is open is closed.
  const auto fd = std::make_shared<Descriptor>();
  fd->open(name.c_str());
  if (fd->get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail_io(name, "cannot open");
  }
  const FileStatus status = opened_status(*fd, name);
  require(status.is_regular, ErrorCode::kIo, "cannot read ", in_quotes(name), ": it is not a regular file");
  require(std::in_range<std::ptrdiff_t>(status.size), ErrorCode::kOutOfMemory, "cannot read ", in_quotes(name),
          ": it has ", counted(status.size, "byte"), ", more than this processor's addresses reach");
  File file(FileBytes{.name = name, .owner = nullptr, .bytes = {}});
  file.size_ = static_cast<size_t>(status.size);
  file.fd_ = fd;
  file.stamp_ = FileStamp::of(absolute_path(name), status);
  file.no_writer_ = !status.has_writers;
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
  const void* address = map_file(fd_->get(), start_ - lead, mapped);
  if (address == nullptr) return;
  memory_.owner = std::shared_ptr<const void>(address, [mapped](const void* p) { unmap_file(p, mapped); });
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
  return is_on_local_disk(fd_->get());
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
    const int64_t got = read_at(fd_->get(), to.subspan(at, std::min(count - at, kAtATime)), start_ + offset + at);
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
  if (fd_ != nullptr) require_same(*stamp_, FileStamp::of(stamp_->path, opened_status(*fd_, name())));
}

}  // namespace coracle::internal
