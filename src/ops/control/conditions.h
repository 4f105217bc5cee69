// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "base/tensor.h"

namespace coracle::internal {

/// The truth of a condition. Error unless it is a tensor of one element.
inline bool holds(const Tensor& condition) {
  require(!condition.is_array() && condition.count() == 1, ErrorCode::kRunFailure, "the condition is a tensor ",
          condition.shape(), ", expected one element");
  return condition.to_host().number(0) != 0;
}

}  // namespace coracle::internal
