// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "base/system/memory.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace coracle::internal {

void* map_memory(size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void unmap_memory(void* mapped, size_t bytes) { ::munmap(mapped, bytes); }

#if defined(MADV_HUGEPAGE)

namespace {

constexpr size_t kProbed = size_t{2} << 20U;
// Small pages in place of a large one take about a millisecond. A large page takes less, unless the system has to move
// others to make room for it, or is a guest whose host has to find the memory in small pieces.
constexpr int64_t kSlow = 2'000'000;
constexpr int64_t kPause = 1'000'000'000;

int64_t nanoseconds(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

void prefer_large_pages(void* begin, size_t bytes) {
  static std::atomic<int64_t> again = 0;  // large pages are asked for from this time on
  if (bytes < kProbed || nanoseconds(CLOCK_MONOTONIC) < again.load(std::memory_order_relaxed)) return;
  if (::madvise(begin, kProbed, MADV_HUGEPAGE) != 0) return;  // this system has none
  const int64_t start = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  *static_cast<volatile char*>(begin) = 0;
  if (nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start < kSlow) {
    ::madvise(begin, bytes, MADV_HUGEPAGE);
  } else {
    again.store(nanoseconds(CLOCK_MONOTONIC) + kPause, std::memory_order_relaxed);
  }
}

#else

void prefer_large_pages(void* /*begin*/, size_t /*bytes*/) {}

#endif

void give_back_pages(void* begin, size_t bytes) { ::madvise(begin, bytes, MADV_DONTNEED); }

void give_back_freed() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace coracle::internal
