// SPDX-License-Identifier: Apache-2.0
#include "base/loop_trace.h"

#include <algorithm>
#include <utility>

namespace coracle::internal {

LoopTrace::LoopTrace(int threads) { lanes_.reserve(static_cast<size_t>(std::max(threads, 1)) - 1); }

void LoopTrace::add(int64_t begin, int64_t end) noexcept {
  const std::thread::id thread = std::this_thread::get_id();
  if (thread == caller_) {
    busy_ += end - begin;
    longest_ = std::max(longest_, end - begin);
    return;
  }
  const std::lock_guard lock(mutex_);
  auto lane = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return l.thread == thread; });
  if (lane == lanes_.end()) {
    if (lanes_.size() == lanes_.capacity()) return;
    lane = lanes_.insert(lane, {thread, {.thread = static_cast<int>(lanes_.size()) + 1}});
  }
  Span& span = lane->span;
  if (span.busy == 0) span.begin = begin;
  span.begin = std::min(span.begin, begin);
  span.end = std::max(span.end, end);
  span.busy += std::max<int64_t>(end - begin, 1);
}

void LoopTrace::end_loop(int64_t passed) noexcept {
  if (std::this_thread::get_id() != caller_) return;  // of a thread that works beside it
  const int64_t busy = std::exchange(busy_, 0);
  ++noted_.loops;
  noted_.waited += std::max<int64_t>(passed - busy, 0);
  noted_.beside += busy - std::exchange(longest_, 0);
}

LoopTrace::Caller LoopTrace::take_caller() noexcept { return std::exchange(noted_, {}); }

std::vector<LoopTrace::Span> LoopTrace::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Span> spans;
  for (Lane& lane : lanes_) {
    if (lane.span.busy != 0) spans.push_back(lane.span);
    lane.span = {.thread = lane.span.thread};
  }
  return spans;
}

}  // namespace coracle::internal
