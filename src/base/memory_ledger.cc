// SPDX-License-Identifier: Apache-2.0
#include "base/memory_ledger.h"

#include "base/counted.h"
#include "base/error.h"

namespace coracle::internal {
namespace {

std::atomic<size_t> process_total{0};

}  // namespace

size_t MemoryLedger::process_bytes() noexcept { return process_total.load(std::memory_order_relaxed); }
void MemoryLedger::count_in_process(size_t bytes) noexcept {
  process_total.fetch_add(bytes, std::memory_order_relaxed);
}
void MemoryLedger::uncount_in_process(size_t bytes) noexcept {
  process_total.fetch_sub(bytes, std::memory_order_relaxed);
}

bool MemoryLedger::take(size_t bytes) {
  const size_t limit = this->limit();
  for (bool last = limit == 0 || reclaim_ == nullptr;; last = true) {
    size_t used = used_.load(std::memory_order_relaxed);
    while (limit == 0 || (used <= limit && bytes <= limit - used)) {
      if (used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed)) return true;
    }
    if (last) return false;
    reclaim_();
  }
}

void MemoryLedger::refuse(size_t bytes, const std::string& what) const {
  fail(ErrorCode::kOutOfMemory, "a run needs ", counted(bytes, "byte"), " for ", what, " and has ", used(),
       " in use, the memory limit is ", limit(), ": use smaller inputs or a higher limit");
}

}  // namespace coracle::internal
