// SPDX-License-Identifier: Apache-2.0
#include "cli/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/failure.h"
#include "client/npy.h"

namespace coracle::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Failure(ExitCode::kIo, path + ": " + what + ": " + std::strerror(errno));
}

/// A file opened for reading, and how many bytes it has. Only regular ones: others (pipes, terminals, devices) may let
/// their reader wait for ever, or never end.
std::pair<File, size_t> open_regular(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(path, "cannot be opened");
  File file(::fdopen(descriptor, "rb"));
  if (file == nullptr) {
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    fail(path, "cannot be opened");
  }
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) fail(path, "cannot be read");
  if (!S_ISREG(info.st_mode)) {
    const char* what = S_ISDIR(info.st_mode) ? "a directory" : "not a regular file";
    throw Failure(ExitCode::kIo, path + ": cannot be read: it is " + what);
  }
  return {std::move(file), static_cast<size_t>(info.st_size)};
}

}  // namespace

std::string read_file(const std::string& path) {
  const auto [file, size] = open_regular(path);
  // Not to its end, which a file that is written to may move.
  std::string content(size, '\0');
  const size_t got = std::fread(content.data(), 1, size, file.get());
  if (std::ferror(file.get()) != 0) fail(path, "cannot be read");
  if (got != size) {
    throw Failure(ExitCode::kIo, path + ": it was cut short while it was read: expected " + std::to_string(size) +
                                     " bytes, found " + std::to_string(got));
  }
  return content;
}

client::Tensor read_npy(const std::string& path) { return client::parse_npy(path, read_file(path)); }

void require_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  throw Failure(ExitCode::kIo, path + ": there is no folder " + folder.string());
}

}  // namespace coracle::cli
