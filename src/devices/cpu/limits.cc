// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/limits.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "devices/cpu/isa/limits.h"

namespace coracle::internal::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 0.02;               // of each measurement
constexpr int64_t kSteps = 4096;                // multiply-adds between two looks at the clock
constexpr int64_t kBlock = int64_t{16} << 20U;  // floats: more than caches hold
constexpr int kTries = 3;                       // the best counts

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Work per second of all threads, where `work` does some on one and returns how much.
template <class Work>
double rate(ThreadPool& pool, double seconds, const Work& work) {
  double best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::vector<double> rates(static_cast<size_t>(pool.threads()));
    pool.parallel_for(pool.threads(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t thread = begin; thread < end; ++thread) {
        const Clock::time_point start = Clock::now();
        double done = 0;
        double passed = 0;
        do {
          done += work(thread);
          passed = seconds_since(start);
        } while (passed < seconds);
        rates[static_cast<size_t>(thread)] = done / passed;
      }
    });
    best = std::max(best, *std::min_element(rates.begin(), rates.end()) * pool.threads());
  }
  return best;
}

}  // namespace

MachineLimits measure_limits(CapabilityLevel isa, ThreadPool& pool) {
  const LimitFunctions& functions = limits_table(isa.as<Isa>());
  // A place for each thread's sums, a cache line apart.
  constexpr size_t kApart = 16;
  std::vector<float> sums(static_cast<size_t>(pool.threads()) * kApart);
  const auto sum = [&](int64_t thread) { return &sums[static_cast<size_t>(thread) * kApart]; };
  std::vector<std::vector<float>> blocks(static_cast<size_t>(pool.threads()),
                                         std::vector<float>(static_cast<size_t>(kBlock), 1.0F));
  MachineLimits found;
  found.flops_per_second = rate(
      pool, kSeconds, [&](int64_t thread) { return static_cast<double>(functions.multiply_add(kSteps, sum(thread))); });
  found.bytes_per_second = rate(pool, 0, [&](int64_t thread) {
    *sum(thread) += functions.read(blocks[static_cast<size_t>(thread)].data(), kBlock);
    return static_cast<double>(kBlock * static_cast<int64_t>(sizeof(float)));
  });
  return found;
}

}  // namespace coracle::internal::cpu
