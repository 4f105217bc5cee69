// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "plan/kernel.h"

namespace coracle::internal {

struct Step;
struct Steps;

/// What a stage of planning works with.
struct StageContext {
  int threads = 1;                                                ///< that will run the steps
  std::function<void(Step& step, const ArgFacts& args)> prepare;  ///< prepares a step anew
};

/// A change to the steps of a segment, before they are placed in memory: it makes them faster and keeps their results,
/// bit by bit. Left out where its name is among KernelChoice::disabled.
struct PlanStage {
  const char* name;  ///< "row_tiles"
  void (*apply)(Steps& steps, const StageContext& context);
};

}  // namespace coracle::internal
