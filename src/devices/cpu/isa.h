// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace coracle::internal::cpu {

/// Instruction sets that kernels are compiled for. Each but kAny is a row of capabilities.def, which says what it
/// needs, how it is found and how it is compiled; they stand in the order of the rows. Saved models have these numbers.
enum class Isa : uint8_t {
  kAny,     ///< portable code
  kNeon,    ///< aarch64 baseline
  kSse2,    ///< x86-64 baseline
  kAvx2,    ///< AVX2, FMA, F16C, BMI2
  kAvx512,  ///< AVX-512 F, BW, DQ, VL, CD
};

/// The widest set that this machine and operating system support and that kernels were compiled for; kAny if there is
/// none. Detected once.
Isa detected_isa();

/// True if there is code for `isa` and it runs on a machine whose widest set is `machine`.
bool runs_on(Isa isa, Isa machine);

/// "avx2"; of all sets in order.
std::string_view name_of(Isa isa);
std::span<const std::string_view> isa_names();
std::optional<Isa> isa_of(std::string_view name);

}  // namespace coracle::internal::cpu
