// SPDX-License-Identifier: Apache-2.0
// Pages made flat: the model's output is the picture.
#pragma once

#include "vision/answers.h"

namespace coracle::vision {

/// Planes of blue, green and red, from 0 to 1, as a picture; what lies beyond is cut off. Error if the dimensions are
/// not [1, 3, height, width].
Image flat_page(const Output& output, const Description& d);

}  // namespace coracle::vision
