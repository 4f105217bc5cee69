// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"

namespace coracle::internal {

/// `lower` of a convolution. Programs that were optimised before they were saved have more in it: a Bias of one element
/// per output channel, ResidualData that is added, and an activation (fuse_activation, or the older fuse_relu and
/// fuse_brelu; `default_activation` where the file has none of them). Each becomes a node of its own.
/// An operator's own `lower` finds `row` by name, because it cannot name its row before its `infer` is declared.
void lower_convolution(Lowering& l, const OpSchema& schema, std::string_view default_activation = {});

}  // namespace coracle::internal
