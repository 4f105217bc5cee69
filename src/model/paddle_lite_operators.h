// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/paddle_lite.h"

namespace coracle::internal::paddle_lite {

/// Writes Paddle's operators in place of those that Paddle Lite's `opt` makes:
/// - activations and sums that it has fused into operators become operators again;
/// - copies between its devices, layouts and precisions become `assign` or `cast`;
/// - parameters in int8, int16 and float16 get an operator that makes float32 of them;
/// - tensors in int8 become float32 rounded to their steps, by the operators of a model in QDQ form;
/// - notes for Paddle Lite's kernels are left out.
/// What it does not know stays as it is. Throws Error (kInvalidModel) that names operator and variable.
void use_operators_of_paddle(Model& model);

}  // namespace coracle::internal::paddle_lite
