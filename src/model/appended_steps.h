// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/attribute_reads.h"
#include "graph/lowering.h"

namespace coracle::internal {

/// Paddle's passes for oneDNN keep the name of an operator and append to it, by attributes: an activation
/// (fuse_with_relu; fuse_activation with fuse_alpha and fuse_beta), then a factor (fused_output_scale). Adds those that
/// the operator's own translation has not asked for behind `result`, and gives what the operator then results in.
ValueId add_appended_steps(Lowering& l, const AttributeReads& reads, ValueId result);

}  // namespace coracle::internal
