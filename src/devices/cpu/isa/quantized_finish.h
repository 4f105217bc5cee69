// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/quantized_result.h"
#include "devices/cpu/isa/tables.h"

/// What becomes of tiles of sums of integers (quantized_result.h). Each element's result depends on that element alone.
namespace coracle::internal::cpu {

constexpr size_t kMostFinishedRows = 48;

/// sums[r * stride + j], r < rows <= kMostFinishedRows, j < columns, becomes channel `channel` + j of pixel `pixel` +
/// r. Rows of the tile have an integer of vectors; they may be overwritten.
struct QuantizedTile {
  float* sums = nullptr;
  size_t stride = 0;
  size_t rows = 0;
  size_t columns = 0;
  int64_t pixel = 0;
  int64_t channel = 0;
};

/// A QuantizedResult that prepare() has looked at; it must outlive this.
struct QuantizedFinishing {
  alignas(16) unsigned char state[192];
};

struct QuantizedFinishFunctions {
  void (*prepare)(const QuantizedResult& result, QuantizedFinishing& to);
  void (*finish)(const QuantizedFinishing& finishing, const QuantizedTile& tile);
};

CORACLE_ISA_TABLES(QuantizedFinishFunctions, quantized_finish)

}  // namespace coracle::internal::cpu
