// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace coracle::internal::quantize {

/// How often a run does which steps. Steps are told apart by operator, kernel, results and work, not by name: those
/// that several models have in common are the same.
using StepCounts = std::map<std::string, size_t>;

/// The least time that each step has taken in runs of any number of models. Models that differ in a few steps differ in
/// the times of these alone, however busy the machine was while one of them ran.
class StepTimes {
 public:
  /// Adds the steps of a profiled run (coracle_session_profile) to `counts`, and notes their times.
  void note_run(std::string_view profile, StepCounts& counts);

  /// Milliseconds of the steps that `steps` has and `others` has not.
  double time_beyond(const StepCounts& steps, const StepCounts& others) const;

 private:
  std::map<std::string, int64_t> least_;  ///< nanoseconds
};

}  // namespace coracle::internal::quantize
