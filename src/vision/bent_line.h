// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vision/geometry.h"

namespace coracle::vision {

/// A line of text with this outline as an upright picture, as PaddleX has it for seals. An outline that fills less than
/// 0.7 of the smallest rectangle round it is straightened: its ends are found, both sides between them are divided
/// into equal parts, and what lies between the parts of both is mapped to upright rectangles side by side. Any other is
/// cut out as that rectangle. Empty where nothing is left.
Image cut_out_bent(const Image& page, const Polygon& outline);

}  // namespace coracle::vision
