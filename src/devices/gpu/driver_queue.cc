// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/driver_queue.h"

#include <algorithm>

#include "base/counted.h"
#include "base/current_error.h"
#include "base/error.h"
#include "plan/call_failure.h"

namespace coracle::internal::gpu {
namespace {

constexpr size_t kPoints = 64;    // events of points that are kept
constexpr size_t kTogether = 32;  // kernels with one event
constexpr size_t kAhead = 2;      // such events that the host may be ahead of the device

constexpr char kLost[] = "the device is gone";

}  // namespace

std::deque<DriverQueue::KeptEvent>::const_iterator DriverQueue::kept(Event point) const noexcept {
  return std::lower_bound(points_.begin(), points_.end(), point,
                          [](const KeptEvent& e, Event m) { return e.point < m; });
}

void DriverQueue::release(std::deque<KeptEvent>& events, size_t count) noexcept {
  for (; count > 0; --count) {
    release_event(events.front().event);
    events.pop_front();
  }
}

void DriverQueue::forget_points() noexcept {
  release(points_, points_.size());
  has_copied_ = false;
}

void DriverQueue::close() noexcept {
  finish_halves();
  forget_points();
  release(behind_, behind_.size());
  faults_.reset();
}

void DriverQueue::keep(const char* reason, int code, const char* what, size_t bytes) noexcept {
  if (opened_.lost()) reason = kLost;
  if (failure_ == nullptr) {
    failure_ = reason;
    try {
      detail_ = text("the device ", opened_.info().name, opened_.lost() ? " is gone: " : " failed: ", what);
      if (bytes != 0) detail_ += text(" of ", counted(bytes, "byte"));
      detail_ += text(": ", text_of_code(code));
    } catch (...) {
      detail_.clear();
    }
  }
}

void DriverQueue::note(int code, const char* what, size_t bytes, bool while_waiting) noexcept {
  if (code == 0) return;
  tell_device(code, while_waiting);
  keep(reason_of(code), code, what, bytes);
}

void DriverQueue::note_kernels(size_t count, bool may_end) noexcept {
  kernels_given_ += count;
  if (failed() || kernels_given_ < kTogether || !may_end || may_run_ahead_) return;
  kernels_given_ = 0;
  const DriverEvent event = event_of(Half::kKernels);
  if (event == nullptr) return;
  try {
    behind_.push_back({last_, event});
  } catch (...) {
    release_event(event);
    return;
  }
  if (behind_.size() <= kAhead) return;
  await(behind_.front().event);
  release(behind_, 1);
}

DeviceBytes DriverQueue::faults() noexcept {
  if (faults_ == nullptr && !failed()) {
    try {
      faults_ = opened_.allocate(sizeof(Fault));
      clear({faults_.get(), 0});
    } catch (...) {
      failure_ = opened_.lost() ? kLost : kNoMemoryFailure;
      try {
        detail_ = text("memory for the faults that kernels report: ", current_error().text());
      } catch (...) {
        detail_.clear();
      }
    }
  }
  may_have_faults_ = faults_ != nullptr;
  return {faults_.get(), 0};
}

void DriverQueue::keep(const Fault& fault) noexcept {
  failure_ = kIndexFailure;
  try {
    detail_ = text_of(fault);
  } catch (...) {
    detail_.clear();
  }
}

Queue::Event DriverQueue::record() noexcept {
  ++last_;
  if (failed()) return last_;
  if (!has_copied_) {
    // All before it were before the point before.
    if (points_.empty()) {
      done_ = last_;
    } else {
      points_.back().point = last_;
    }
    return last_;
  }
  const DriverEvent event = event_of(Half::kCopies);
  if (event == nullptr) return last_;
  try {
    // Whoever waits for a point that is not kept waits for the next that is.
    if (points_.size() == kPoints) release(points_, 1);
    points_.push_back({last_, event});
    has_copied_ = false;
  } catch (...) {
    release_event(event);
  }
  return last_;
}

void DriverQueue::order_after(Event point) noexcept {
  if (failed() || point <= done_) return;
  DriverEvent own = nullptr;
  const auto before = kept(point);
  if (before == points_.end()) own = event_of(Half::kCopies);
  const DriverEvent event = before == points_.end() ? own : before->event;
  if (event == nullptr) return;
  hold_kernels(event);
  if (own != nullptr) release_event(own);
}

const char* DriverQueue::wait(Event point, std::string* detail) noexcept {
  if (failed()) return finish(detail);
  if (point <= done_) return nullptr;
  const auto until = kept(point);
  if (until == points_.end()) return finish(detail);
  if (!await(until->event)) return finish(detail);
  done_ = until->point;
  release(points_, static_cast<size_t>(until - points_.cbegin()) + 1);
  return nullptr;
}

const char* DriverQueue::finish(std::string* detail) noexcept {
  fault_ = {};
  if (may_have_faults_ && !failed()) read({faults_.get(), 0}, fault_);
  finish_halves();
  forget_points();
  release(behind_, behind_.size());
  kernels_given_ = 0;
  done_ = last_;
  if (!failed() && fault_[0] != 0) keep(fault_);
  if (may_have_faults_ && failed() && !opened_.lost()) clear({faults_.get(), 0});
  may_have_faults_ = false;
  return tell(detail);
}

const char* DriverQueue::tell(std::string* detail) noexcept {
  const char* reason = failure_;
  if (reason == nullptr) return nullptr;
  if (detail != nullptr) {
    try {
      *detail = detail_;
    } catch (...) {
      detail->clear();
    }
  }
  if (!opened_.lost()) failure_ = nullptr;
  return reason;
}

}  // namespace coracle::internal::gpu
