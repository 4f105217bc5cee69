// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal {

/// What a queue is, too, whose device has a profiler that shows ranges of time by name.
class StepRanges {
 public:
  virtual ~StepRanges() = default;

  /// Whether somebody wants to see them. It does not change.
  virtual bool shows_ranges() const noexcept = 0;
  /// Begins one of the calling thread, within those that it has begun before.
  virtual void begin_range(const char* name) noexcept = 0;
  /// Ends the last that the calling thread has begun.
  virtual void end_range() noexcept = 0;
};

/// A range for as long as it lives; none where `ranges` is null.
class StepRange {
 public:
  /// `name` returns a string, and is called for a range alone.
  template <class Name>
  StepRange(StepRanges* ranges, const Name& name) : ranges_(ranges) {
    if (ranges_ != nullptr) ranges_->begin_range(name().c_str());
  }
  ~StepRange() {
    if (ranges_ != nullptr) ranges_->end_range();
  }
  StepRange(const StepRange&) = delete;
  StepRange& operator=(const StepRange&) = delete;

 private:
  StepRanges* const ranges_;
};

}  // namespace coracle::internal
