// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "graph/op.h"

namespace coracle::internal {

/// Error where one of these operands, present, is not of operand 0's type: references read all of them as one type.
inline void require_one_dtype(const InferArgs& a, std::initializer_list<int> ports) {
  for (int port : ports) {
    for (int i = 0; i < a.count(port); ++i) {
      require(a.dtype(port, i) == a.dtype(0), "operand ", port, " is ", a.dtype(port, i), ", but operand 0 is ",
              a.dtype(0));
    }
  }
}

}  // namespace coracle::internal
