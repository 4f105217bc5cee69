// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace coracle::internal {

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> kPipeline = {
      // Clean up what files carry along.
      widen_half(),
      identity(),
      constant_folding(true),
      common_subexpressions(),
      dead_code(),
      // Fewer operators for the same.
      common_factor(),
      fuse_channel_shuffle(),
      fuse_attention(),
      // Put into convolutions and products what follows them.
      fuse_convolution(),
      fuse_linear(),
      narrow_weights(),
      // What nobody took of narrow weights is float32 from here on.
      constant_folding(),
      fuse_epilogue(),
      integer_regions(),
      early_rounding(),
      fold_epilogue(),
      fuse_upsample_add(),
      // What became constant or unused on the way.
      constant_folding(),
      dead_code(),
  };
  return kPipeline;
}

}  // namespace coracle::internal
