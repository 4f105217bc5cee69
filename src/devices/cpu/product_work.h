// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What products of matrices take besides their multiplications, for what is worth a thread.
namespace coracle::internal::cpu {

/// So few rows wait for the right matrix, and take as long as these.
constexpr int64_t kWaitingRows = 12;

/// Columns with those that fill the last vector, which are multiplied, too.
constexpr int64_t whole_vectors(int64_t columns) {
  constexpr int64_t kLanes = 8;
  return (columns + kLanes - 1) / kLanes * kLanes;
}

}  // namespace coracle::internal::cpu
