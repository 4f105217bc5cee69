// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/process.h"
#include "base/system/files.h"
#include "base/system/native_path.h"
#include "base/system/path.h"

namespace coracle::internal {
namespace {

constexpr std::string_view kTemporaryEnding = ".tmp";
constexpr int kAttempts = 100;  // what another process of this number left, as in a container

[[noreturn]] void fail_writing(const std::string& path) {
  const int reason = errno;
  fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, "cannot write ", in_quotes(path), ": ",
       std::strerror(reason));
}

/// A name beside `path` that no other writer takes.
std::string name_beside(const std::string& path) {
  static std::atomic<uint32_t> count{0};
  return text(path, ".", this_process(), ".", count.fetch_add(1), kTemporaryEnding);
}

std::string containing_folder(const std::string& path) {
  const size_t slash = last_separator(path);
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

/// Where a file of that name is, or will be: links may point to what is not there yet.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::filesystem::path place = native_path(path);
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code not_a_link;
    const std::filesystem::path target = std::filesystem::read_symlink(place, not_a_link);
    if (not_a_link) break;
    place = place.parent_path() / target;  // the target alone where it is absolute
  }
  return path_text(place);
}

void write_in_place(const std::string& path, std::span<const uint8_t> content) {
  const int fd = open_to_write(path);
  if (fd < 0) fail_writing(path);
  bool works = true;
  while (works && !content.empty()) works = write_some(fd, content);
  const int reason = errno;
  const bool closed = close_written(fd);
  if (!works) errno = reason;
  if (!works || !closed) fail_writing(path);
}

}  // namespace

NewFile::NewFile(std::string path, For whom)
    : path_(std::move(path)), place_(whom == For::kOwner ? path_ : behind_links(path_)), whom_(whom) {
  FileStatus old;
  const bool replaces = status_of(place_, old);
  require(!replaces || old.is_regular, ErrorCode::kIo, "cannot write ", in_quotes(path_),
          ": what has this name is not a regular file");
  if (replaces && whom == For::kAnyone && !may_write(place_)) fail_writing(path_);
  fd_ = make_unnamed_file(containing_folder(place_), whom);
  if (fd_ < 0) make_named(whom);
  if (!replaces || whom != For::kAnyone) return;
  take_permissions(fd_, old);
}

void NewFile::make_named(For whom) {
  held_.emplace();
  for (int i = 0; fd_ < 0 && i < kAttempts; ++i) {
    std::string name = name_beside(place_);
    fd_ = make_file(name, whom);
    if (fd_ >= 0) temporary_ = std::move(name);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) fail_writing(path_);
}

NewFile::~NewFile() {
  close();
  if (!temporary_.empty()) remove_file(temporary_);
}

void NewFile::close() {
  if (fd_ >= 0) close_file(fd_);
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
  if (!synchronise(fd_)) fail_writing(path_);
  if (!held_) held_.emplace();
  for (int i = 0; temporary_.empty(); ++i) {
    std::string name = name_beside(place_);
    if (name_file(fd_, name)) {
      temporary_ = std::move(name);
    } else if (errno != EEXIST || i == kAttempts) {
      fail_writing(path_);
    }
  }
  if (!keep_file(fd_, whom_)) fail_writing(path_);
  const bool closed = close_written(fd_);
  fd_ = -1;
  if (!closed) fail_writing(path_);
}

void NewFile::put() {
  if (!replace_file(temporary_, place_)) fail_writing(path_);
  temporary_.clear();
  held_.reset();
  synchronise_folder(containing_folder(place_));
}

bool remove_left_over(const std::string& path, const FileStatus& about, int64_t now) {
  constexpr int64_t kAbandoned = 3600;  // seconds
  const bool temporary = path.ends_with(kTemporaryEnding) && now - about.modified.seconds > kAbandoned;
  return (temporary || path.ends_with(kReplacedEnding)) && remove_file(path);
}

void write_files(std::span<const NamedContent> files) {
  std::vector<std::unique_ptr<NewFile>> made;
  for (const NamedContent& file : files) {
    FileStatus there;
    if (status_of(file.path, there) && !there.is_regular) {
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
