// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/size.h"
#include "devices/cpu/isa/quantized_gemm.h"

namespace coracle::internal::cpu {

/// Matrices that are packed in each run: B[k, column] is data[k * inner_stride + column * column_stride], one of
/// the strides 1.
struct QuantizedMatrix {
  const int8_t* data = nullptr;
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t inner_stride = 0;
  int64_t column_stride = 0;
};

/// Bytes of one as isa/quantized_gemm.h has it, for a table that never looks at a QuantizedReach.
size_t packed_bytes(const QuantizedGemmFunctions& functions, const QuantizedMatrix& matrix);

/// Packs one panel. Numbers may be -128.
void pack_panel(const QuantizedGemmFunctions& functions, const QuantizedMatrix& matrix, int64_t panel,
                void* packed) noexcept;

}  // namespace coracle::internal::cpu
