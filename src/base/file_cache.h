// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/run_context.h"
#include "base/tensor.h"

namespace coracle::internal {

/// What took long to make, as bytes in a folder, one file each, shared with other processes. What cannot be read or
/// written is as if it were not there: nothing here fails.
class FileCache {
 public:
  static constexpr std::chrono::milliseconds kWait{30000};

  /// No folder: keeps nothing. It is made with the first file. `bytes`: of all files together. `wait`: at most, for
  /// what others make.
  FileCache(std::string folder, size_t bytes, std::chrono::milliseconds wait = kWait)
      : folder_(std::move(folder)), bytes_(bytes), wait_(wait) {}

  /// What an environment variable says (nothing: no cache), else coracle/`name` in XDG_CACHE_HOME or ~/.cache.
  static std::string default_folder(const char* variable, std::string_view name);

  bool on() const { return !folder_.empty(); }
  /// What was kept under exactly this key, by this user: uint8[bytes].
  std::optional<Tensor> find(const std::string& key) const;
  /// What was not used for longest goes where there are too many bytes.
  void keep(const std::string& key, std::span<const uint8_t> content) const;

  /// Of those that make something and look for it here first, one at a time has the lock of its key, whatever threads
  /// or processes they are. It is nobody's as soon as its process ends, however that happens.
  class Lock {
   public:
    enum class State : uint8_t {
      kNone,  ///< nobody can have one: there is no folder, nothing can be written, or its system has no locks
      kHeld,
      kLate,  ///< another has had it for as long as the cache waits, or as long as the deadline of this thread lets it
    };
    Lock() = default;
    Lock(Lock&& from) noexcept { *this = std::move(from); }
    Lock& operator=(Lock&& from) noexcept {
      std::swap(path_, from.path_);
      std::swap(file_, from.file_);
      std::swap(state_, from.state_);
      std::swap(waited_, from.waited_);
      return *this;
    }
    ~Lock();
    State state() const { return state_; }
    /// Whether another had it first: what that one made may be here now.
    bool waited() const { return waited_; }

   private:
    friend class FileCache;
    static Lock of(std::string path, std::chrono::milliseconds wait, const RunContext& context);

    std::string path_;
    int file_ = -1;
    State state_ = State::kNone;
    bool waited_ = false;
  };
  /// Waits while another has it, within bounds and until the deadline of `context` has passed. `wait`: whether at all.
  Lock lock(const std::string& key, bool wait = true, const RunContext& context = {}) const;

 private:
  std::string file_of(std::string_view key, std::string_view ending) const;
  void remove_abandoned_locks() const;

  std::string folder_;
  size_t bytes_;
  std::chrono::milliseconds wait_;
};

}  // namespace coracle::internal
