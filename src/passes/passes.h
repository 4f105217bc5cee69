// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "passes/pass.h"

/// One function per pass, each in the file of its name; pipeline.cc puts them in order.
namespace coracle::internal {

Pass widen_half();
Pass identity();
/// With `keeps_narrow_weights`, what narrow_weights takes stays.
Pass constant_folding(bool keeps_narrow_weights = false);
Pass common_subexpressions();
Pass dead_code();
Pass common_factor();
Pass fuse_channel_shuffle();
Pass fuse_convolution();
Pass fuse_linear();
Pass narrow_weights();
Pass fuse_attention();
Pass fuse_epilogue();
Pass integer_regions();
Pass early_rounding();
Pass fold_epilogue();
Pass fuse_upsample_add();

}  // namespace coracle::internal
