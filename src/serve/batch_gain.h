// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "serve/inference.h"

namespace coracle::serve {

/// How many rows of a model are to run together: more only where runs have shown that a row of the larger batch takes
/// less time. Where a batch computes no faster than its rows one by one, as with products that fill the processor
/// alone, it only makes all of its requests as late as the last one. For any number of threads.
class BatchGain {
 public:
  /// The rows to take of those that wait, whose first request has `first` of them. Sizes that were not measured are
  /// tried, each as long as the next smaller one has shown a gain, and again from time to time.
  int64_t rows(const std::string& shape, int64_t first, int64_t waiting);

  /// A run, from its start until it ends. What it takes is its share of the time, which it has with those that run
  /// beside it.
  class Run {
   public:
    explicit Run(BatchGain& gain, Clock::time_point now = Clock::now());
    ~Run() { end(); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    /// It ends and had so many rows, all of which were computed.
    void done(const std::string& shape, int64_t rows, Clock::time_point now = Clock::now());

   private:
    double end(Clock::time_point now = Clock::now());

    BatchGain& gain_;
    const double begin_;
    bool ended_ = false;
  };

 private:
  /// What a row took in the last runs of a size.
  struct Costs {
    static constexpr size_t kRuns = 5;
    std::array<double, kRuns> last{};
    uint64_t runs = 0;

    bool known() const { return runs > kRuns; }  // the first run planned, and is overwritten
    double median() const;
  };
  struct Shape {
    std::map<size_t, Costs> costs;  // of at least 2^key rows
    uint64_t choices = 0;
  };

  double shared_time(Clock::time_point now);

  std::mutex mutex_;
  std::map<std::string, Shape, std::less<>> shapes_;
  int running_ = 0;
  double time_ = 0;  // seconds, each divided by the runs that were under way
  Clock::time_point at_;
};

}  // namespace coracle::serve
