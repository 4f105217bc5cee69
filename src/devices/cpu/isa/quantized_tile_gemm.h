// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/isa/quantized_gemm.h"

/// The product of quantized_gemm.h on matrix tiles (Intel AMX): bytes of A plus 128 by panels of B as AVX512-VNNI has
/// them, so that weights are packed once for both. Tiles have as many groups as make the steps along k equally long;
/// the last step begins where it ends with the last group, and A has zeros there for what the step before has counted.
namespace coracle::internal::cpu {

#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
/// For machines that have Capability::kAmx.
namespace amx {
extern const QuantizedGemmFunctions quantized_tile_gemm;
}
#endif
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX2)
/// The same without tiles, for tests; it is no part of the library.
namespace emulated_amx {
extern const QuantizedGemmFunctions quantized_tile_gemm;
}
#endif

}  // namespace coracle::internal::cpu
