// SPDX-License-Identifier: Apache-2.0
#include "cli/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "base/system/files.h"
#include "base/system/native_path.h"
#include "cli/failure.h"
#include "client/npy.h"

namespace coracle::cli {
namespace {

/// An open file that closes itself.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(internal::open_to_read(path.c_str())) {}
  ~OpenFile() {
    if (file_ >= 0) internal::close_file(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Failure(ExitCode::kIo, path + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

std::string read_file(const std::string& path) {
  const OpenFile file(path);
  if (file.get() < 0) fail(path, "cannot be opened");
  internal::FileStatus status;
  if (!internal::status_of(file.get(), status)) fail(path, "cannot be read");
  // Others (pipes, terminals, devices) may let their reader wait for ever, or never end.
  if (!status.is_regular) {
    const char* what = status.is_folder ? "a directory" : "not a regular file";
    throw Failure(ExitCode::kIo, path + ": cannot be read: it is " + what);
  }
  // Not to its end, which a file that is written to may move.
  std::string content(status.size, '\0');
  size_t got = 0;
  while (got < content.size()) {
    constexpr size_t kAtATime = size_t{64} << 20U;
    auto* at = reinterpret_cast<uint8_t*>(content.data()) + got;
    const int64_t more = internal::read_at(file.get(), {at, std::min(content.size() - got, kAtATime)}, got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail(path, "cannot be read");
    if (more == 0) break;
    got += static_cast<size_t>(more);
  }
  if (got != content.size()) {
    throw Failure(ExitCode::kIo, path + ": it was cut short while it was read: expected " +
                                     std::to_string(content.size()) + " bytes, found " + std::to_string(got));
  }
  return content;
}

client::Tensor read_npy(const std::string& path) { return client::parse_npy(path, read_file(path)); }

void require_folder_of(const std::string& path) {
  const std::filesystem::path folder = internal::native_path(path).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  throw Failure(ExitCode::kIo, path + ": there is no folder " + internal::path_text(folder));
}

}  // namespace coracle::cli
