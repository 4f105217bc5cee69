// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_stage.h"

namespace coracle::internal {

/// Lets kernels that are `strided`, of any device, read operands where they lie in a larger tensor and write their
/// result where it belongs in one, instead of moving elements in steps of their own: what is transposed, sliced, split
/// or reshaped before or after them.
void elide_copies(Steps& steps, const StageContext& context);

inline constexpr PlanStage kCopyElision = {"strided", elide_copies};

}  // namespace coracle::internal
