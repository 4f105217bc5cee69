// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "error.h"

namespace paddle {
namespace detail {

/// Elements of a shape that `kind` ("input") `name` has or is to have; throws if they cannot be counted.
template <class Shape>
int64_t count_of(const Shape& shape, const char* kind, const std::string& name) {
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t dim = shape[i];
    require(dim >= 0, kind, " '", name, "': dimension ", i, " is ", dim, ", expected 0 or more");
    if (dim != 0 && count > (std::numeric_limits<int64_t>::max() >> 5) / dim) {
      fail(kind, " '", name, "': shape ", list_text(shape), " is too large");
    }
    count *= dim;
  }
  return count;
}

}  // namespace detail
}  // namespace paddle
