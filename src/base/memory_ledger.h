// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace coracle::internal {

/// Counts the bytes that a session's runs hold, and refuses those above a limit. Tensors and buffers are charged to the
/// ledger of the run that makes them, until they are freed, wherever that is.
class MemoryLedger {
 public:
  /// `limit` of 0: none.
  explicit MemoryLedger(size_t limit = 0) : limit_(limit) {}

  size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  /// For what is charged from now on; what is charged already stays.
  void set_limit(size_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

  /// What to call before bytes are refused: it frees what is kept only to be used again.
  void set_reclaim(std::function<void()> reclaim) { reclaim_ = std::move(reclaim); }

  /// Charges bytes. Throws Error (out of memory) with what `what` returns where that would pass the limit.
  template <class F>
  void charge(size_t bytes, const F& what) {
    if (!take(bytes)) refuse(bytes, what());
  }
  void give_back(size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  /// Bytes held by all tensors, buffers, arenas and packed weights of this process, with a ledger or without.
  static size_t process_bytes() noexcept;
  static void count_in_process(size_t bytes) noexcept;
  static void uncount_in_process(size_t bytes) noexcept;

 private:
  bool take(size_t bytes);
  [[noreturn]] void refuse(size_t bytes, const std::string& what) const;

  std::atomic<size_t> limit_;
  std::atomic<size_t> used_{0};
  std::function<void()> reclaim_;
};

/// Bytes on a ledger and in the process's count, while it lives.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  /// On `ledger`; null: on none. `what` says what they are for. Throws Error (out of memory).
  template <class F>
  MemoryCharge(std::shared_ptr<MemoryLedger> ledger, size_t bytes, const F& what)
      : ledger_(std::move(ledger)), bytes_(bytes) {
    if (ledger_ != nullptr) ledger_->charge(bytes, what);
    MemoryLedger::count_in_process(bytes);
  }
  ~MemoryCharge() { release(); }
  MemoryCharge(MemoryCharge&& other) noexcept
      : ledger_(std::move(other.ledger_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    if (this == &other) return *this;
    release();
    ledger_ = std::move(other.ledger_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  size_t bytes() const { return bytes_; }

 private:
  void release() noexcept {
    if (ledger_ != nullptr) ledger_->give_back(bytes_);
    MemoryLedger::uncount_in_process(bytes_);
    ledger_ = nullptr;
    bytes_ = 0;
  }

  std::shared_ptr<MemoryLedger> ledger_;
  size_t bytes_ = 0;
};

}  // namespace coracle::internal
