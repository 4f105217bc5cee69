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
  explicit BatchGain(int instances) : instances_(instances) {}

  /// The rows to take of those that wait, whose first request has `first` of them. Sizes that were not measured are
  /// tried, each as long as the next smaller one has shown a gain, and again from time to time.
  int64_t rows(const std::string& shape, int64_t first, int64_t waiting);

  /// A run, from its start until it ends. It teaches what it costs where all `instances` were running at both times, as
  /// they are while requests wait: runs that have the processors for themselves take another time.
  class Run {
   public:
    explicit Run(BatchGain& gain, Clock::time_point now = Clock::now());
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    /// It had so many rows, all of which were computed.
    void done(const std::string& shape, int64_t rows, Clock::time_point now = Clock::now());

   private:
    BatchGain& gain_;
    const Clock::time_point begin_;
    bool teaches_;
  };

 private:
  /// What a row took in the last runs of a size.
  struct Costs {
    static constexpr size_t kRuns = 3;
    std::array<double, kRuns> last{};
    uint64_t runs = 0;

    bool known() const { return runs > kRuns; }  // the first run planned, and is overwritten
    double median() const;
  };
  struct Shape {
    std::map<size_t, Costs> costs;  // of at least 2^key rows
    uint64_t choices = 0;
  };

  const int instances_;
  std::mutex mutex_;
  std::map<std::string, Shape, std::less<>> shapes_;
  int running_ = 0;
};

}  // namespace coracle::serve
