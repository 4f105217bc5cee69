// SPDX-License-Identifier: Apache-2.0
#include "serve/batch_gain.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace coracle::serve {
namespace {

/// Clients choose shapes: beyond so many all are learnt again.
constexpr size_t kMostLearntShapes = 1024;
/// A row of a batch of twice the size must cost no more than this part.
constexpr double kGain = 0.95;
/// Rows of less time, in seconds, are always joined: starting a run and waking threads costs as much as a batch may
/// lose.
constexpr double kShort = 0.02;
/// One in so many batches tries the size beyond that which is known to be best.
constexpr uint64_t kRetry = 256;

size_t size_class(int64_t rows) { return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(rows, 1))) - 1; }

}  // namespace

double BatchGain::Costs::median() const {
  std::array<double, kRuns> sorted = last;
  std::nth_element(sorted.begin(), sorted.begin() + kRuns / 2, sorted.end());
  return sorted[kRuns / 2];
}

int64_t BatchGain::rows(const std::string& shape, int64_t first, int64_t waiting) {
  const std::lock_guard lock(mutex_);
  size_t size = size_class(first);
  if (const auto found = shapes_.find(shape); found != shapes_.end()) {
    Shape& own = found->second;
    const bool retry = ++own.choices % kRetry == 0;
    for (const size_t last = size_class(waiting); size < last && own.costs[size].known(); ++size) {
      if (own.costs[size].median() < kShort) return waiting;
      const Costs& larger = own.costs[size + 1];
      if (larger.known() && larger.median() <= kGain * own.costs[size].median()) continue;
      if (retry || !larger.known()) ++size;
      break;
    }
  }
  return std::min(waiting, std::max(first, (int64_t{2} << size) - 1));
}

BatchGain::Run::Run(BatchGain& gain, Clock::time_point now) : gain_(gain), begin_(now) {
  const std::lock_guard lock(gain_.mutex_);
  teaches_ = ++gain_.running_ == gain_.instances_;
}

BatchGain::Run::~Run() {
  const std::lock_guard lock(gain_.mutex_);
  --gain_.running_;
}

void BatchGain::Run::done(const std::string& shape, int64_t rows, Clock::time_point now) {
  const std::lock_guard lock(gain_.mutex_);
  if (!teaches_ || gain_.running_ != gain_.instances_) return;
  if (gain_.shapes_.size() >= kMostLearntShapes && !gain_.shapes_.contains(shape)) gain_.shapes_.clear();
  Costs& costs = gain_.shapes_[shape].costs[size_class(rows)];
  costs.last[costs.runs++ % Costs::kRuns] =
      std::chrono::duration<double>(now - begin_).count() / static_cast<double>(rows);
  teaches_ = false;
}

}  // namespace coracle::serve
