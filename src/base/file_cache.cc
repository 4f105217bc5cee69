// SPDX-License-Identifier: Apache-2.0
#include "base/file_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "base/checksum.h"
#include "base/error.h"
#include "base/new_file.h"
#include "base/pages.h"

namespace coracle::internal {
namespace {

constexpr char kMagic[8] = {'c', 'o', 'r', 'a', 'c', 'l', 'e', '2'};
constexpr char kEnding[] = ".bin";
constexpr char kTemporary[] = ".tmp";
constexpr char kLock[] = ".lock";
constexpr time_t kAbandoned = 3600;  // seconds after which nobody writes a temporary file any more

/// Begin of each file; the key and the content follow.
struct Head {
  char magic[8];
  uint64_t key_bytes;
  uint64_t content_bytes;
  uint64_t checksum;  ///< of key and content
};

class Fd {
 public:
  Fd(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }

  bool read(void* to, size_t bytes) const {
    for (auto* at = static_cast<char*>(to); bytes > 0;) {
      const ssize_t got = ::read(fd_, at, bytes);
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int fd_;
};

uint64_t checksum_of(std::string_view key, std::span<const uint8_t> content) {
  Checksum sum;
  sum.add(key.data(), key.size());
  sum.add(content.data(), content.size());
  return sum.value()[0];
}

/// FNV-1a; only to find a file, whose key is then compared.
uint64_t hash_of(std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : key) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3U;
  return hash;
}

bool make_folders(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (end == std::string::npos) return true;
  }
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string FileCache::default_folder(const char* variable, std::string_view name) {
  if (const char* folder = std::getenv(variable)) return folder;
  std::string root = environment("XDG_CACHE_HOME");
  if (root.empty() || root.front() != '/') {
    const std::string home = environment("HOME");
    if (home.empty() || home.front() != '/') return {};
    root = home + "/.cache";
  }
  return text(root, "/coracle/", name);
}

std::string FileCache::file_of(std::string_view key, std::string_view ending) const {
  char name[17];
  std::snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return text(folder_, "/", name, ending);
}

std::optional<Tensor> FileCache::find(const std::string& key) const {
  if (!on()) return std::nullopt;
  const Fd file(file_of(key, kEnding), O_RDONLY);
  struct stat about {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0) return std::nullopt;
  // Nobody else may say what this user's processes run.
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  const auto size = static_cast<uint64_t>(about.st_size);
  Head head{};
  if (size < sizeof(head) || !file.read(&head, sizeof(head))) return std::nullopt;
  if (std::memcmp(head.magic, kMagic, sizeof(kMagic)) != 0 || head.key_bytes != key.size()) return std::nullopt;
  const uint64_t rest = size - sizeof(head);
  if (rest < head.key_bytes || rest - head.key_bytes != head.content_bytes || head.content_bytes > bytes_) {
    return std::nullopt;
  }
  std::string kept(key.size(), '\0');
  if (!file.read(kept.data(), kept.size()) || kept != key) return std::nullopt;
  const auto pages = std::make_shared<Pages>(head.content_bytes);
  if (!file.read(pages->data(), head.content_bytes)) return std::nullopt;
  const Tensor content = Tensor::share(DType::kUint8, {static_cast<int64_t>(head.content_bytes)}, pages, pages->data());
  if (checksum_of(kept, {content.data<uint8_t>(), content.bytes()}) != head.checksum) return std::nullopt;
  ::futimens(file.get(), nullptr);  // used now: not among the oldest
  return content;
}

void FileCache::keep(const std::string& key, std::span<const uint8_t> content) const {
  if (!on() || content.empty() || sizeof(Head) + key.size() + content.size() > bytes_) return;
  if (!make_folders(folder_)) return;
  Head head{{}, key.size(), content.size(), checksum_of(key, content)};
  std::memcpy(head.magic, kMagic, sizeof(kMagic));
  const auto bytes_of = [](const void* data, size_t size) {
    return std::span(static_cast<const uint8_t*>(data), size);
  };
  try {
    NewFile file(file_of(key, kEnding), NewFile::For::kOwner);
    file.write(bytes_of(&head, sizeof(head)));
    file.write(bytes_of(key.data(), key.size()));
    file.write(content);
    file.commit();
  } catch (const Error&) {
    return;  // it is made again when it is next needed
  }
  remove_oldest();
}

FileCache::Lock FileCache::lock(const std::string& key, bool wait, const RunContext& context) const {
  if (!on() || !make_folders(folder_)) return {};
  return Lock::of(file_of(key, kLock), wait ? wait_ : std::chrono::milliseconds(0), context);
}

FileCache::Lock FileCache::Lock::of(std::string path, std::chrono::milliseconds wait, const RunContext& context) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLongestPause{20};
  const Clock::time_point end = Clock::now() + wait;
  Lock lock;
  lock.path_ = std::move(path);
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, kLongestPause)) {
    const int file = ::open(lock.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return lock;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
      // Whoever had it may have removed this file, and another made a new one.
      struct stat held {};
      struct stat named {};
      if (::fstat(file, &held) == 0 && ::lstat(lock.path_.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
          held.st_dev == named.st_dev) {
        lock.file_ = file;
        lock.state_ = State::kHeld;
        return lock;
      }
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      ::close(file);
      return lock;
    }
    ::close(file);
    lock.waited_ = true;
    if (Clock::now() >= end || context.over()) {
      lock.state_ = State::kLate;
      return lock;
    }
    std::this_thread::sleep_for(pause);
  }
}

FileCache::Lock::~Lock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::flock(file_, LOCK_UN);  // also where a forked child has the file, too
  ::close(file_);
}

void FileCache::remove_oldest() const {
  struct Entry {
    std::string path;
    timespec used;
    uint64_t bytes;
  };
  std::vector<Entry> entries;
  uint64_t sum = 0;
  DIR* folder = ::opendir(folder_.c_str());
  if (folder == nullptr) return;
  const time_t now = ::time(nullptr);
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    const bool temporary = name.ends_with(kTemporary);
    const bool lock = name.ends_with(kLock);
    if (!temporary && !lock && !name.ends_with(kEnding)) continue;
    std::string path = text(folder_, "/", name);
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    if (temporary || lock) {
      if (now - about.st_mtim.tv_sec <= kAbandoned) continue;
      if (temporary) ::unlink(path.c_str());
      if (lock) Lock::of(std::move(path), std::chrono::milliseconds(0), {});  // giving one up removes its file
      continue;
    }
    sum += static_cast<uint64_t>(about.st_size);
    entries.push_back({std::move(path), about.st_mtim, static_cast<uint64_t>(about.st_size)});
  }
  ::closedir(folder);
  if (sum <= bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Entry& entry : entries) {
    if (sum <= bytes_) break;
    if (::unlink(entry.path.c_str()) == 0) sum -= entry.bytes;
  }
}

}  // namespace coracle::internal
