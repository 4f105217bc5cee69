// SPDX-License-Identifier: Apache-2.0
// Runs that end on the host before they are done on a device.
#include <algorithm>
#include <utility>

#include "run/device_run.h"

namespace coracle::internal {

void DeviceRun::end_late_runs(size_t most) {
  while (!late_runs_.empty()) {
    const StreamPoint& end = *late_runs_.front().end;
    if (!end.is_done()) {
      if (late_runs_.size() <= most) return;
      end.wait();
    }
    late_runs_.pop_front();
  }
}

/// The queue of the first device, where that alone is used, for steps without copies, and nobody watches.
StreamFollower* DeviceRun::Segment::find_late_queue() const {
  if (segment_.late == nullptr || is_watched()) return nullptr;
  const bool is_whole = std::all_of(steps_.steps.begin(), steps_.steps.end(), [](const Step& step) {
    return step.place == Place{1} && step.copy == nullptr && step.waits.empty();
  });
  return is_whole && uses(0) ? dynamic_cast<StreamFollower*>(run_.contexts_[0].queue.get()) : nullptr;
}

/// False where the host has to wait.
bool DeviceRun::Segment::leave() {
  if (late_queue_ == nullptr) return false;
  run_.late_runs_.push_back({nullptr, std::move(segment_.late->held), bound_.planned()});
  std::shared_ptr<const StreamPoint> end = late_queue_->leave(*segment_.late->of_stream);
  if (end == nullptr) {
    run_.late_runs_.pop_back();
    return false;
  }
  run_.late_runs_.back().end = end;
  segment_.late->end = std::move(end);
  finished_ = true;
  return true;
}

}  // namespace coracle::internal
