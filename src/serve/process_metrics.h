// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "serve/prometheus_text.h"

namespace coracle::serve {

/// What the process and its machine use, by /proc: names of Prometheus' libraries, and Triton's of CPUs. Where the
/// system does not say something, it is left out. For any number of threads.
class ProcessMetrics {
 public:
  ProcessMetrics();
  void write(PrometheusText& text);

 private:
  /// Ticks of all processors since the machine's start.
  struct Ticks {
    uint64_t busy = 0;
    uint64_t all = 0;
  };
  static Ticks ticks();
  double utilization();

  std::mutex mutex_;
  Ticks before_;
  std::chrono::steady_clock::time_point at_;
  double utilization_ = 0;
};

}  // namespace coracle::serve
