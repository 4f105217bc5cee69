// SPDX-License-Identifier: Apache-2.0
// Preloaded in front of a program (LD_PRELOAD) it measures for how long threads compute between two looks at the clock,
// which under a time limit are looks at the deadline (src/base/deadline.h). Processor time counts, so that other
// programs do not.
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime

#include <atomic>
#include <chrono>
#include <cstdint>

namespace {

std::atomic<int64_t> greatest{0};
std::atomic<int64_t> looks{0};
thread_local int64_t last = -1;

int64_t ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void look() {
  const int64_t now = ns(CLOCK_THREAD_CPUTIME_ID);
  const int64_t gap = last < 0 ? 0 : now - last;
  last = now;
  looks.fetch_add(1, std::memory_order_relaxed);
  int64_t before = greatest.load(std::memory_order_relaxed);
  while (gap > before && !greatest.compare_exchange_weak(before, gap, std::memory_order_relaxed)) {
  }
}

}  // namespace

/// What libraries call is this one: the first in the order of loading.
std::chrono::steady_clock::time_point std::chrono::_V2::steady_clock::now() noexcept {
  look();
  return time_point(duration(ns(CLOCK_MONOTONIC)));
}

/// The greatest such time since the last call in ns; this call is a look, too.
extern "C" int64_t looks_greatest_ns() {
  look();
  return greatest.exchange(0);
}

extern "C" int64_t looks_count() { return looks.exchange(0); }
