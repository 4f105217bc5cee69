// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// Compiled with -march=native: the widest vectors there are, with as many sums as registers allow.
#if defined(__AVX512F__)
constexpr int kBytes = 64;
constexpr int kSums = 24;
#elif defined(__AVX__)
constexpr int kBytes = 32;
constexpr int kSums = 12;
#else
constexpr int kBytes = 16;
constexpr int kSums = 12;
#endif
typedef float Vector __attribute__((vector_size(kBytes)));
constexpr int kLanes = kBytes / 4;
constexpr int kSteps = 512;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/** Keeps a value that nothing uses. */
template <typename T>
void keep(T& value) {
  asm volatile("" : : "m"(value) : "memory");
}

/** One thread's rate in GFLOP/s. */
double fma_rate(double seconds) {
  Vector sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = Vector{} + static_cast<float>(i);
  const Vector factor = Vector{} + 0.999f;
  const Vector term = Vector{} + 0.001f;
  double flops = 0;
  const Clock::time_point start = Clock::now();
  double passed;
  do {
    for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 24
      for (int i = 0; i < kSums; ++i) sums[i] = sums[i] * factor + term;
    }
    flops += 2.0 * kLanes * kSums * kSteps;
    passed = seconds_since(start);
  } while (passed < seconds);
  keep(sums);
  return flops / passed * 1e-9;
}

double read_seconds(const std::vector<float>& block) {
  Vector sums[8] = {};
  const Clock::time_point start = Clock::now();
  for (size_t at = 0; at + 8 * kLanes <= block.size(); at += 8 * kLanes) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      Vector value;
      std::memcpy(&value, &block[at + i * kLanes], kBytes);
      sums[i] += value;
    }
  }
  Vector total = sums[0];
  for (int i = 1; i < 8; ++i) total += sums[i];
  keep(total);
  return seconds_since(start);
}

/** Calls `body(0)`, ..., `body(threads - 1)` at the same time, the first in this thread. */
void together(int threads, const std::function<void(int)>& body) {
  std::atomic<int> waiting{threads};
  const auto one = [&](int index) {
    waiting.fetch_sub(1);
    while (waiting.load() > 0) std::this_thread::yield();
    body(index);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(one, i);
  one(0);
  for (std::thread& t : others) t.join();
}

}  // namespace

double probe_fma(int threads, double milliseconds) {
  std::vector<double> rates(static_cast<size_t>(threads));
  together(threads, [&](int i) { rates[static_cast<size_t>(i)] = fma_rate(milliseconds * 1e-3); });
  return *std::min_element(rates.begin(), rates.end()) * threads;
}

double probe_read(int threads, long bytes, int repeats) {
  const std::vector<float> block(static_cast<size_t>(bytes) / sizeof(float), 1.0f);
  std::vector<std::vector<float>> blocks(static_cast<size_t>(threads), block);
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<double> times(static_cast<size_t>(threads));
    together(threads, [&](int i) { times[static_cast<size_t>(i)] = read_seconds(blocks[static_cast<size_t>(i)]); });
    const double slowest = *std::max_element(times.begin(), times.end());
    best = std::max(best, static_cast<double>(bytes) * threads / slowest * 1e-9);
  }
  return best;
}
