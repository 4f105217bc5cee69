// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// q = round(x * range / scale), kept as float; with `dequantize` y = q * scale / range, else y = q. A scale up to
/// 1e-30 divides as scale + 1e-6.
struct Quantization {
  float range = 127;             ///< 2^(bits - 1) - 1
  bool round_half_away = false;  ///< true: x is clipped to +-scale, then rounded half away from zero;
                                 ///< false: rounded half to even, then clipped to [-range - 1, range]
  bool dequantize = true;
};

/// y may be x.
struct QuantizeFunctions {
  void (*tensor)(const Quantization& q, const float* x, float scale, float* y, size_t count);
  /// [rows, columns] with one scale per row, and with one per column.
  void (*rows)(const Quantization& q, const float* x, const float* scales, float* y, size_t rows, size_t columns);
  void (*columns)(const Quantization& q, const float* x, const float* scales, float* y, size_t rows, size_t columns);
  /// q as int8, for a range of 127; 0 for NaN.
  void (*to_int8)(bool round_half_away, const float* x, float scale, int8_t* y, size_t count);
};

CORACLE_ISA_TABLES(QuantizeFunctions, quantize)

}  // namespace coracle::internal::cpu
