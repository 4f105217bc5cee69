// SPDX-License-Identifier: Apache-2.0
#include "base/memory_ledger.h"

#include "base/counted.h"
#include "base/error.h"

namespace coracle {
namespace {

/// A pointer, as it needs no destructor: where a new thread has no memory to note one, the C library ends the process.
thread_local const std::shared_ptr<MemoryLedger>* current_ledger = nullptr;

std::atomic<size_t> process_total{0};

}  // namespace

std::shared_ptr<MemoryLedger> MemoryLedger::current() noexcept {
  return current_ledger == nullptr ? nullptr : *current_ledger;
}

size_t MemoryLedger::process_bytes() noexcept { return process_total.load(std::memory_order_relaxed); }
void MemoryLedger::count_in_process(size_t bytes) noexcept {
  process_total.fetch_add(bytes, std::memory_order_relaxed);
}
void MemoryLedger::uncount_in_process(size_t bytes) noexcept {
  process_total.fetch_sub(bytes, std::memory_order_relaxed);
}

MemoryLedger::Scope::Scope(std::shared_ptr<MemoryLedger> ledger) noexcept
    : ledger_(std::move(ledger)), before_(std::exchange(current_ledger, &ledger_)) {}
MemoryLedger::Scope::~Scope() { current_ledger = before_; }

bool MemoryLedger::take(size_t bytes) {
  for (bool last = limit_ == 0 || reclaim_ == nullptr;; last = true) {
    size_t used = used_.load(std::memory_order_relaxed);
    while (limit_ == 0 || (used <= limit_ && bytes <= limit_ - used)) {
      if (used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed)) return true;
    }
    if (last) return false;
    reclaim_();
  }
}

void MemoryLedger::refuse(size_t bytes, const std::string& what) const {
  fail(ErrorCode::kOutOfMemory, "a run needs ", counted(bytes, "byte"), " for ", what, " and has ", used(),
       " in use, the memory limit is ", limit_, ": use smaller inputs or a higher limit");
}

}  // namespace coracle
