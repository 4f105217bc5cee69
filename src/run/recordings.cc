// SPDX-License-Identifier: Apache-2.0
#include "run/recordings.h"

#include <algorithm>
#include <utility>

namespace coracle::internal {
namespace {

/// So that there are not too many to look through.
constexpr size_t kSegmentBytes = size_t{64} << 10U;
/// What a driver keeps of a recording and of each kernel in it, about: no driver says so.
constexpr size_t kRecordingBytes = size_t{64} << 10U;
constexpr size_t kCallBytes = size_t{8} << 10U;

/// Of steps that are gone nothing is the same, whatever lies at their address.
bool is_same(const std::weak_ptr<const PlannedSteps>& a, const std::shared_ptr<const PlannedSteps>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

RecordedSegment* Recordings::find(const BoundSteps& bound) {
  const auto same = std::find_if(segments_.begin(), segments_.end(), [&](const RecordedSegment& s) {
    return is_same(s.planned, bound.planned()) && s.arena == bound.arena() && s.tensors == bound.device_tensors();
  });
  if (same != segments_.end()) {
    segments_.splice(segments_.begin(), segments_, same);
    return &segments_.front();
  }
  if (!make_room(kSegmentBytes)) return nullptr;
  segments_.push_front(
      {.planned = bound.planned(), .arena = bound.arena(), .tensors = bound.device_tensors(), .bytes = kSegmentBytes});
  bytes_ += kSegmentBytes;
  return &segments_.front();
}

void Recordings::cut(RecordedSegment& segment, size_t steps_bytes, std::vector<RecordedCalls> calls) {
  segment.is_cut = true;
  size_t bytes = steps_bytes;
  for (const RecordedCalls& c : calls) bytes += kRecordingBytes + (c.end - c.begin) * kCallBytes;
  if (bytes > most_bytes_ - std::min(segment.bytes, most_bytes_)) return;
  make_room(bytes);
  segment.calls = std::move(calls);
  segment.bytes += bytes;
  bytes_ += bytes;
}

bool Recordings::make_room(size_t bytes) {
  if (bytes > most_bytes_) return false;
  while (bytes_ > most_bytes_ - bytes && !segments_.empty()) {
    bytes_ -= segments_.back().bytes;
    segments_.pop_back();
  }
  return true;
}

void Recordings::clear() {
  segments_.clear();
  bytes_ = 0;
}

}  // namespace coracle::internal
