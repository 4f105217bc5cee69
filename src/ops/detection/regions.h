// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/boxes.h"

namespace coracle::internal {

/// The operands that pooling over regions has: x [N, C, H, W] at port 0, regions [R, 4] at port 1, how many regions
/// each image has at port 2 (without it the offsets of the regions tell). Checks them and sets output 0 to [R,
/// channels, height, width]; negative `channels`: those of x.
inline void infer_region_pooling(InferArgs& a, int height, int width, int64_t channels = -1) {
  const Shape& x = a.shape(0);
  const Shape& boxes = a.shape(1);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1), "x is ", a.dtype(0), " and boxes ", a.dtype(1));
  require(height > 0 && width > 0, "the grid is ", height, " by ", width);
  require(!x.rank_known() || x.rank() == 4, "x is ", x, ", expected [N, C, H, W]");
  require(!boxes.rank_known() || (boxes.rank() == 2 && (boxes[1] < 0 || boxes[1] == 4)), "boxes are ", boxes,
          ", expected [R, 4]");
  if (channels < 0) channels = x.rank_known() ? x[1] : Shape::kUnknown;
  a.set(0, a.dtype(0), Shape{boxes.rank_known() ? boxes[0] : Shape::kUnknown, channels, height, width});
}

/// Half-open range of the elements of one cell.
struct CellRange {
  int64_t begin;
  int64_t end;
};

/// The image that each region belongs to. Throws Error where there are regions of more images than x has.
inline std::vector<int64_t> images_of_regions(const ReferenceArgs& a) {
  const std::vector<int64_t> offsets = image_offsets(a.has(2) ? &a.in(2) : nullptr, a.in(1));
  require(static_cast<int64_t>(offsets.size()) - 1 <= a.shape(0)[0], ErrorCode::kRunFailure, "there are regions for ",
          offsets.size() - 1, " images, but ", a.shape(0)[0], " images");
  std::vector<int64_t> images;
  for (size_t n = 0; n + 1 < offsets.size(); ++n) {
    images.insert(images.end(), static_cast<size_t>(offsets[n + 1] - offsets[n]), static_cast<int64_t>(n));
  }
  return images;
}

}  // namespace coracle::internal
