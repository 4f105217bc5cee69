// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "archive.h"
#include "coracle/coracle.hpp"

namespace coracle::oracle {

struct Difference {
  double worst = 0;    // the largest error divided by its tolerance; for exact outputs 0
  std::string reason;  // empty: within tolerance
};

// A result against what Paddle gave: element type, shape, values, and the sequence offsets if Paddle has any.
Difference compare(const coracle::View& got, const Output& expected);

// numpy's letter and size of an element type.
std::string type_code(coracle_dtype dtype);
coracle_dtype dtype_of_code(const std::string& code);

}  // namespace coracle::oracle
