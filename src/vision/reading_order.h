// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "coracle/vision/predictor.h"

namespace coracle::vision {

/// Regions of a page in the order in which one reads them, for models that do not tell it: from top to bottom; where a
/// page has two columns the left one first, between regions that reach across both.
std::vector<Object> in_reading_order(std::vector<Object> regions, int page_width);

}  // namespace coracle::vision
