// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_stage.h"

namespace coracle::internal::cpu {

/// Joins steps that follow each other on large images into one that runs them together, row tile by row tile: what
/// one makes is used by the next while it is in cache, and the tensors in between are never whole.
void fuse_row_tiles(Steps& steps, const StageContext& context);

/// Its name is also that of the kernel of joined steps.
inline constexpr PlanStage kRowTiles = {"row_tiles", fuse_row_tiles};

}  // namespace coracle::internal::cpu
