// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "run/bound_steps.h"

namespace coracle::internal {

/// Calls [begin, end) of a segment that a queue records together.
struct RecordedCalls {
  size_t begin = 0;
  size_t end = 0;
  bool was_tried = false;                            ///< nothing is recorded twice, whatever came of it
  std::shared_ptr<const PlannedSteps> planned = {};  ///< what the recording is of, kept as long as it
  std::unique_ptr<Recording> recording = {};         ///< null where the queue has none
};

/// What a session knows of the same steps with the same memory.
struct RecordedSegment {
  std::weak_ptr<const PlannedSteps> planned;  ///< it may be gone
  const std::byte* arena = nullptr;           ///< of the host
  std::vector<void*> tensors = {};            ///< of the session, on devices
  bool has_run = false;
  bool is_cut = false;
  std::vector<RecordedCalls> calls = {};  ///< once it is cut
  size_t bytes = 0;                       ///< about
};

/// What the queues of one session have recorded. All of it uses the session's arenas and the model's constants, and
/// counts the steps that it keeps. What was used least recently is dropped where all takes more than a bound. One
/// thread at a time.
class Recordings {
 public:
  /// With a bound of 0 nothing is recorded.
  explicit Recordings(size_t most_bytes) : most_bytes_(most_bytes) {}

  /// That of steps with the memory that they are bound to, which is the one used last from now on; null where it would
  /// have no room. It stays until the next call.
  RecordedSegment* find(const BoundSteps& bound);
  /// Sets what is to be recorded of the segment that was found last, unless that would have no room. The steps take
  /// `steps_bytes`.
  void cut(RecordedSegment& segment, size_t steps_bytes, std::vector<RecordedCalls> calls);
  /// Memory of a device has moved.
  void clear();

  size_t bytes() const { return bytes_; }

 private:
  /// Drops others until there are that many more bytes.
  bool make_room(size_t bytes);

  const size_t most_bytes_;
  size_t bytes_ = 0;
  std::list<RecordedSegment> segments_;  // the one used last comes first
};

}  // namespace coracle::internal
