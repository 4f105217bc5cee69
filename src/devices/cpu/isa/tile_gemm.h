// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/isa/gemm.h"

/// The product of gemm.h on matrix tiles, with numbers split into bfloat16 parts (bf16_parts.h). B is packed as
/// [panel of 32 columns][step of 32 along taps and depth][part][half of the columns][pair of steps][column][2]. Where
/// a sum comes out as infinity or NaN, it is computed again by multiply-adds of the parts: products of parts with
/// infinity have other sums than the numbers themselves.
namespace coracle::internal::cpu {

struct TileGemmFunctions {
  GemmFunctions x6;
  GemmFunctions x3;
  GemmFunctions bf16;
  /// As `bf16`, of B packed as there, by sums of products of pairs in vectors: in the compile for AVX-512, for machines
  /// that have Capability::kAvx512Bf16, and in that for NEON's bfloat16. In the others it is `bf16`.
  GemmFunctions bf16_dots;
  /// Products of tiles in registers only, `steps` on each of four sums: what the schemes are bounded by. Returns the
  /// operations on bfloat16 numbers, two for a multiply-add.
  int64_t (*multiply_tiles)(int64_t steps);
};

CORACLE_ISA_TABLES(TileGemmFunctions, tile_gemm)
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
namespace amx {
extern const TileGemmFunctions tile_gemm;
}
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
/// With BFMMLA: bf16_dots alone.
namespace neon_bf16 {
extern const TileGemmFunctions tile_gemm;
}
#endif

}  // namespace coracle::internal::cpu
