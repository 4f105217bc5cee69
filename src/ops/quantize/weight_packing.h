// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

/// Matrices [k, n] in eight or four bits in the order that products on GPUs read them.
namespace coracle::internal {

/// plain: [n, k], signed. Else numbers are unsigned (128 or 8 stands for zero) and groups of four bytes or eight halves
/// of bytes are mixed; `tiled` (architecture 75 and later) also mixes rows and columns, untiled is [k, n] before that.
struct WeightPacking {
  int bits = 8;
  bool plain = false;
  bool tiled = true;
};

/// The packing of weight_only_int8, weight_only_int4 or llm.int8. Throws Error for any other.
WeightPacking weight_packing(std::string_view algo, int arch);

/// Throws Error where a [rows, columns] matrix cannot be packed so.
void require_packable(const WeightPacking& packing, int64_t rows, int64_t columns);

/// Throws Error where there are not as many scales as columns, or as groups of rows times columns.
void require_scales(const Shape& scales, int64_t rows, int64_t columns, int64_t group_size);

/// `whole` [rows, columns] packed into rows * columns * bits / 8 bytes.
void pack_weight(const WeightPacking& packing, const std::vector<int8_t>& whole, int64_t rows, int64_t columns,
                 int8_t* to);

/// The integers [rows, columns] of a packed matrix.
Buffer<int8_t> unpacked_integers(const RunContext& context, const WeightPacking& packing, const int8_t* packed,
                                 int64_t rows, int64_t columns);

/// The same times their scales.
Buffer<double> unpacked_weight(const RunContext& context, const WeightPacking& packing, const Tensor& packed,
                               const Tensor& scales, int64_t rows, int64_t columns, int64_t group_size);

}  // namespace coracle::internal
