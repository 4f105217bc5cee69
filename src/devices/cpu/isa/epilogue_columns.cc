// SPDX-License-Identifier: Apache-2.0
#include "epilogue_columns.h"

namespace coracle::internal::cpu::CORACLE_ISA {
template void apply_to_columns<false>(const EpilogueOp* ops, int op_count, const float* tile, size_t tile_stride,
                                      size_t rows, size_t count, const EpilogueTarget& to);
template void apply_to_columns<true>(const EpilogueOp* ops, int op_count, const float* tile, size_t tile_stride,
                                     size_t rows, size_t count, const EpilogueTarget& to);
}  // namespace coracle::internal::cpu::CORACLE_ISA
