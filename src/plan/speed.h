// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "plan/cost.h"

/// How fast a device is, roughly: what decides whether nodes pay elsewhere are orders of magnitude, between a tensor of
/// a few numbers and an image.
namespace coracle::internal {

/// What nodes take, by the roofline model (plan/cost.h) with a time for each node.
struct Speed {
  double flops_per_second = 0;
  double bytes_per_second = 0;
  double start = 0;  ///< seconds for each node

  double seconds(const Cost& cost) const {
    return start + static_cast<double>(cost.flops) / flops_per_second +
           static_cast<double>(cost.bytes) / bytes_per_second;
  }
};

/// What bringing tensors somewhere else and back takes.
struct TransferSpeed {
  double bytes_per_second = 0;
  double start = 0;  ///< seconds for each transfer

  double seconds(size_t bytes) const { return start + static_cast<double>(bytes) / bytes_per_second; }
};

}  // namespace coracle::internal
