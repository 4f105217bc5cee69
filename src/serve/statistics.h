// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "serve/inference.h"

namespace coracle::serve {

/// Upper bounds of the buckets of latency histograms, in milliseconds; behind the last one there is one without.
inline constexpr std::array<double, 14> kLatencyBounds = {0.5, 1,   2,   5,    10,   20,   50,
                                                          100, 200, 500, 1000, 2000, 5000, 10000};

/// How many observations were at most each bound, and their sum.
struct Histogram {
  std::array<uint64_t, kLatencyBounds.size() + 1> counts{};
  double sum = 0;
  uint64_t count = 0;

  void add(double value);
};

/// How often something was done, and how long it took in all.
struct Duration {
  uint64_t count = 0;
  uint64_t ns = 0;

  void add(Clock::duration d) {
    ++count;
    ns += static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
  }
};

/// What requests to one version of a model have taken so far. A value: copies are snapshots.
struct Counts {
  /// Durations are those of successful requests, in Triton's parts.
  Duration success, queue, compute_input, compute_infer, compute_output, fail;
  std::map<std::string, uint64_t> failures;  ///< by reason: REJECTED, CANCELED, BACKEND, OTHER
  uint64_t inference_count = 0;              ///< rows
  uint64_t execution_count = 0;              ///< runs of the model
  std::map<int64_t, uint64_t> batches;       ///< runs by their rows
  int64_t last_inference_ms = 0;             ///< since 1970
  Histogram request_ms, queue_ms, compute_input_ms, compute_infer_ms, compute_output_ms;
};

/// The counts of a model, for any number of threads.
class Statistics {
 public:
  /// A request was answered that came at `received`.
  void add(const Answer& answer, Clock::time_point received, int64_t rows);
  void add_execution(int64_t rows);
  /// A request was refused before it waited.
  void add_failure(Code code);
  Counts counts() const;

 private:
  mutable std::mutex mutex_;
  Counts counts_;
};

}  // namespace coracle::serve
