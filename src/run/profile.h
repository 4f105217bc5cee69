// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/loop_trace.h"
#include "plan/cost.h"
#include "plan/steps.h"

namespace coracle::internal {

/// One kernel call of a profiled run.
struct ProfileEvent {
  std::string node;      ///< "conv2d_3"
  std::string op;        ///< "conv2d"
  std::string kernel;    ///< "conv2d.indirect.avx512"
  std::string outputs;   ///< "float32[1, 16, 320, 320]"
  int64_t start_ns = 0;  ///< since the start of the run
  int64_t duration_ns = 0;
  int64_t flops = 0;  ///< what the kernel really multiplies and adds; 0 where memory is the limit (plan/cost.h)
  int64_t bytes = 0;  ///< operands and results

  /// When a helper thread worked on it; the calling thread did all the time.
  struct Helper {
    int thread = 0;  ///< from 1 on
    int64_t start_ns = 0;
    int64_t duration_ns = 0;  ///< from the first part to the end of the last
    int64_t busy_ns = 0;      ///< of that time, on parts
  };
  std::vector<Helper> helpers = {};
  int64_t waited_ns = 0;    ///< of the duration, until helpers had done their parts
  int64_t loops = 0;        ///< that were cut for several threads
  int64_t beside_ns = 0;    ///< of the duration, on parts besides the longest of each loop
  std::string device = {};  ///< where it ran ("opencl", "opencl copies", "engine lane 1"); empty: in the calling thread
};

using Profile = std::vector<ProfileEvent>;

inline int64_t ns(std::chrono::steady_clock::duration d) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
}

/// What a step has to do, all of its parts together.
Cost cost_of(const Steps& steps, const Step& step);

/// The same of a step without parts, for any kernel: as if it computed every product that the operator is defined by.
Cost operator_cost(const Steps& steps, const Step& step);

/// Adds an event that names what ran from `start` until now, in a run that began at `run_start`; `trace` knows of its
/// helpers.
void record(ProfileEvent named, const Cost& cost, std::chrono::steady_clock::time_point run_start,
            std::chrono::steady_clock::time_point start, LoopTrace& trace, Profile& profile);

}  // namespace coracle::internal
