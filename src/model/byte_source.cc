// SPDX-License-Identifier: Apache-2.0
#include "model/byte_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/printable.h"

namespace coracle {
namespace {

namespace fs = std::filesystem;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// An open folder that closes itself. std::filesystem's iterator ends the process where it has no memory.
class Folder {
 public:
  explicit Folder(const std::string& name) : folder_(::opendir(name.c_str())) {}
  ~Folder() {
    if (folder_ != nullptr) ::closedir(folder_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  DIR* get() const { return folder_; }

 private:
  DIR* folder_;
};

[[noreturn]] void fail_io(const std::string& name, std::string_view what) {
  const int reason = errno;
  fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, what, " ", in_quotes(name), ": ",
       std::strerror(reason));
}

/// The content by read(), for file systems that cannot map.
FileBytes read_all(const std::string& name, int fd, size_t size) {
  const std::shared_ptr<uint8_t[]> memory(new uint8_t[size]);
  size_t at = 0;
  while (at < size) {
    const ssize_t got = ::read(fd, memory.get() + at, size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(name, "cannot read");
    if (got == 0) break;
    at += static_cast<size_t>(got);
  }
  return {.name = name, .owner = memory, .bytes = {memory.get(), at}};
}

class DiskSource : public ByteSource {
 public:
  std::optional<FileBytes> open(const std::string& name) const override {
    const Descriptor fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      fail_io(name, "cannot open");
    }
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) fail_io(name, "cannot read");
    require(S_ISREG(info.st_mode), ErrorCode::kIo, "cannot read ", in_quotes(name), ": it is not a regular file");
    const auto size = static_cast<size_t>(info.st_size);
    if (size == 0) return FileBytes{.name = name, .owner = nullptr, .bytes = {}};
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (address == MAP_FAILED) return read_all(name, fd.get(), size);
    const std::shared_ptr<const void> owner(address, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
    return FileBytes{
        .name = name, .owner = owner, .bytes = {static_cast<const uint8_t*>(address), size}, .mapped = true};
  }

  bool is_folder(const std::string& name) const override {
    std::error_code ignored;
    return fs::is_directory(name, ignored);
  }

  std::vector<std::string> list(const std::string& folder) const override {
    const Folder open(folder);
    if (open.get() == nullptr) fail_io(folder, "cannot list");
    std::vector<std::string> names;
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(open.get());
      if (entry == nullptr) break;
      if (!is_folder(join_path(folder, entry->d_name))) names.emplace_back(entry->d_name);
    }
    if (errno != 0) fail_io(folder, "cannot list");
    std::sort(names.begin(), names.end());
    return names;
  }

 protected:
  void check_inside(const std::string& folder, const std::string& path) const override {
    std::error_code error;
    const fs::path root = fs::canonical(folder.empty() ? "." : folder, error);
    if (error) return;  // no such folder: opening will say so
    const fs::path real = fs::canonical(path, error);
    if (error) return;
    const auto [end, rest] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
    require(end == root.end(), ErrorCode::kInvalidModel, "the parameter file ", in_quotes(path),
            " is a link that leaves the model's folder");
  }
};

class CallbackSource : public ByteSource {
 public:
  explicit CallbackSource(ReadFile read) : read_(std::move(read)) {}
  std::optional<FileBytes> open(const std::string& name) const override { return read_(name); }

 private:
  ReadFile read_;
};

/// True if every part of the relative path names something below where it starts.
bool stays_below(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string_view::npos) return false;
  while (!name.empty()) {
    const size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return true;
}

}  // namespace

void FileBytes::put_away(std::span<const uint8_t> part) const {
  if (!mapped || part.empty()) return;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<size_t>(part.data() - bytes.data()) / page * page;
  const auto end = static_cast<size_t>(part.data() + part.size() - bytes.data()) / page * page;
  // Advice only: the mapping is private and read-only, and whatever fails leaves the bytes where they are.
  if (end > begin) ::madvise(const_cast<uint8_t*>(bytes.data()) + begin, end - begin, MADV_DONTNEED);
}

std::optional<FileBytes> ByteSource::open_inside(const std::string& folder, std::string_view name) const {
  require(stays_below(name), ErrorCode::kInvalidModel, "the parameter name ", in_quotes(name),
          " is a path that leaves the model's folder");
  const std::string path = join_path(folder, name);
  check_inside(folder, path);
  return open(path);
}

std::shared_ptr<const ByteSource> disk_source() { return std::make_shared<DiskSource>(); }

std::shared_ptr<const ByteSource> callback_source(ReadFile read) {
  return std::make_shared<CallbackSource>(std::move(read));
}

std::string join_path(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  std::string path = folder;
  if (path.back() != '/') path.push_back('/');
  return path.append(name);
}

}  // namespace coracle
