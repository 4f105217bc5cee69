// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/steps.h"

namespace coracle {

/// Joins steps that follow each other on large images into one that runs them together, row tile by row tile: what
/// one makes is used by the next while it is in cache, and the tensors in between are never whole. For steps that
/// nothing is placed for yet; `threads` will run them.
void fuse_row_tiles(Steps& steps, int threads);

/// The name of the kernel of joined steps.
inline constexpr const char* kRowTilesName = "row_tiles";

}  // namespace coracle
