// SPDX-License-Identifier: Apache-2.0
// Masks out of a model's planes.
#pragma once

#include "coracle/coracle.hpp"
#include "coracle/vision/predictor.h"

namespace coracle::vision {

/// A model's planes, one for each object, with a number for each pixel of the picture. Which are not zero as whole
/// numbers are in the mask.
struct MaskPlanes {
  coracle_dtype dtype = CORACLE_UINT8;  ///< bool, uint8, int32, int64, float32
  const void* data = nullptr;
  std::size_t count = 0;
  int width = 0;
  int height = 0;
};

/// Whole pixels from left and top on to right and bottom, which are outside.
struct Part {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

/// The mask of a plane within a part of a picture of that size.
Mask mask_of(const MaskPlanes& planes, std::size_t index, const Part& part, int width, int height);
/// The smallest part with all of the mask; of an empty one nothing.
Part bounds(const Mask& mask);

}  // namespace coracle::vision
