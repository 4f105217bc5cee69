// SPDX-License-Identifier: Apache-2.0
#include "base/file_cache.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "base/checksum.h"
#include "base/error.h"
#include "base/kept_folder.h"
#include "base/new_file.h"
#include "base/pages.h"
#include "base/system/environment.h"
#include "base/system/files.h"
#include "base/system/folder.h"
#include "base/system/kept_files.h"

namespace coracle::internal {
namespace {

constexpr char kMagic[8] = {'c', 'o', 'r', 'a', 'c', 'l', 'e', '2'};
constexpr char kEnding[] = ".bin";
constexpr char kLock[] = ".lock";
constexpr int64_t kAbandoned = 3600;  // seconds after which nobody needs a lock's file any more

/// Begin of each file; the key and the content follow.
struct Head {
  char magic[8];
  uint64_t key_bytes;
  uint64_t content_bytes;
  uint64_t checksum;  ///< of key and content
};

/// A kept file, open for reading.
class Kept {
 public:
  explicit Kept(const std::string& path) : file_(open_plain_to_read(path)) {}
  ~Kept() {
    if (is_open()) close_file(file_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  bool is_open() const { return file_ >= 0; }
  int get() const { return file_; }
  bool read(void* to, size_t bytes) const { return read_next(file_, to, bytes); }

 private:
  int file_;
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

}  // namespace

std::string FileCache::default_folder(const char* variable, std::string_view name) {
  if (std::optional<std::string> folder = internal::environment_variable(variable)) return std::move(*folder);
  const std::string root = user_cache_folder();
  return root.empty() ? root : text(root, "/coracle/", name);
}

std::string FileCache::file_of(std::string_view key, std::string_view ending) const {
  char name[17];
  std::snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return text(folder_, "/", name, ending);
}

std::optional<Tensor> FileCache::find(const std::string& key) const {
  if (!on()) return std::nullopt;
  const Kept file(file_of(key, kEnding));
  FileStatus about;
  if (!file.is_open() || !status_of(file.get(), about)) return std::nullopt;
  // Nobody else may say what this user's processes run.
  if (!about.is_regular || !about.is_private) return std::nullopt;
  const uint64_t size = about.size;
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
  mark_used(file.get());  // used now: not among the oldest
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
  trim_kept_files(folder_, kEnding, bytes_);
  remove_abandoned_locks();
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
    const int file = open_lock(lock.path_);
    if (file < 0) return lock;
    const LockAttempt attempt = try_lock(file);
    if (attempt == LockAttempt::kHeld) {
      // Whoever had it may have removed this file, and another made a new one.
      FileStatus held;
      FileStatus named;
      if (status_of(file, held) && status_of_link(lock.path_, named) && held.number == named.number &&
          held.device == named.device) {
        lock.file_ = file;
        lock.state_ = State::kHeld;
        return lock;
      }
    }
    close_file(file);
    if (attempt == LockAttempt::kImpossible) return lock;
    lock.waited_ = true;
    if (Clock::now() >= end || context.over()) {
      lock.state_ = State::kLate;
      return lock;
    }
    std::this_thread::sleep_for(pause);
  }
}

FileCache::Lock::~Lock() {
  if (file_ >= 0) give_up_lock(file_, path_);
}

void FileCache::remove_abandoned_locks() const {
  Folder folder(folder_);
  if (!folder.is_open()) return;
  const int64_t now = std::time(nullptr);
  while (const char* entry = folder.next()) {
    const std::string_view name = entry;
    if (!name.ends_with(kLock)) continue;
    std::string path = text(folder_, "/", name);
    FileStatus about;
    if (!status_of_link(path, about) || !about.is_regular || now - about.modified.seconds <= kAbandoned) continue;
    Lock::of(std::move(path), std::chrono::milliseconds(0), {});  // giving one up removes its file
  }
}

}  // namespace coracle::internal
