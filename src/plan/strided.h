// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "plan/steps.h"

namespace coracle {

/// Lets kernels that are `strided` read operands where they lie in a larger tensor and write their result where it
/// belongs in one, instead of moving elements in steps of their own: what is transposed, sliced, split or reshaped
/// before or after them. For steps that nothing is placed for yet. `prepare` prepares a step anew.
void use_strided(Steps& steps, const std::function<void(Step& step, const ArgFacts& args)>& prepare);

/// The name under which this is left out, as kernels are.
inline constexpr const char* kStridedName = "strided";

}  // namespace coracle
