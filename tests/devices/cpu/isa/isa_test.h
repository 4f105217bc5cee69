// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/processor.h"

namespace coracle::internal::cpu {

/// The instruction sets that have tables and that this machine runs.
inline std::vector<Isa> tested_isas() {
  std::vector<Isa> isas;
#if defined(__x86_64__)
  for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (runs_on(isa, detected_isa())) isas.push_back(isa);
  }
#else
  isas.push_back(Isa::kNeon);
#endif
  return isas;
}

/// A way to compute matrix products: multiply-adds of an instruction set, or matrix tiles in plain code or of this
/// machine.
struct TestedGemm {
  std::string name;
  const GemmFunctions* functions;
};

inline std::vector<TestedGemm> tested_gemms(ComputeMode mode) {
  std::vector<TestedGemm> all;
  const auto of = [mode](const TileGemmFunctions& tiles) {
    if (mode == ComputeMode::kBf16x6) return &tiles.x6;
    return mode == ComputeMode::kBf16x3 ? &tiles.x3 : &tiles.bf16;
  };
  for (Isa isa : tested_isas()) {
    const bool tiles = mode != ComputeMode::kFloat32;
    all.push_back(
        {std::string(name_of(isa)) + (tiles ? "_tiles" : ""), tiles ? of(tile_gemm_table(isa)) : &gemm_table(isa)});
  }
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (mode != ComputeMode::kFloat32 && processor().has(Capability::kAmx)) all.push_back({"amx", of(amx::tile_gemm)});
  if (mode == ComputeMode::kBf16 && processor().has(Capability::kAvx512Bf16))
    all.push_back({"avx512_dots", &avx512::tile_gemm.bf16_dots});
#endif
#if defined(__aarch64__)
  if (mode == ComputeMode::kBf16 && processor().has(Capability::kNeonBf16))
    all.push_back({"neon_dots", &neon_bf16::tile_gemm.bf16_dots});
#endif
  return all;
}

/// Sizes below, at and above vector widths and blocks.
inline std::vector<size_t> tested_sizes() {
  return {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257, 1023, 4099};
}

inline std::vector<float> random_floats(size_t count, unsigned seed, float low = -2.0f, float high = 2.0f) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

/// Equal within `relative` of max(|expected|, scale); infinities and NaN must agree.
inline bool near(float actual, double expected, double relative, double scale = 1e-30) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(static_cast<float>(expected)) || std::isinf(actual)) return actual == static_cast<float>(expected);
  return std::abs(actual - expected) <= relative * std::max(std::abs(expected), scale);
}

}  // namespace coracle::internal::cpu
