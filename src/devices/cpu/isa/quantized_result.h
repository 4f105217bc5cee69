// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "devices/cpu/isa/epilogue_op.h"

namespace coracle::internal::cpu {

/// What becomes of sums of integers and where it goes: through an epilogue, then as float32, or rounded to int8.
struct QuantizedResult {
  void* data = nullptr;
  int64_t stride = 0;  ///< elements from pixel to pixel
  const EpilogueOp* epilogue = nullptr;
  int epilogue_size = 0;  ///< at most kMaxEpilogueOps
  float scale = 0;        ///< 0: float32; else int8, where 127 stands for this
  bool round_half_away = false;
};

}  // namespace coracle::internal::cpu
