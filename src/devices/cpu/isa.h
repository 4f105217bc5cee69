// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace coracle::cpu {

/// Instruction sets that kernels are compiled for, from the plainest to the widest of each architecture.
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

/// True if this machine has matrix tiles for bfloat16 and for bytes (Intel AMX) and the system lets this process use
/// them, for which the first call asks. Threads started later may use them too.
bool has_matrix_tiles();

/// True if code for AVX-512 runs on this machine and may use its sums of products of pairs of bfloat16 numbers in
/// vectors (AVX512-BF16). False on Intel's processors, where they take twice as long as multiply-adds of float32.
bool has_bf16_dots();

/// True if code for `isa` may use sums of four products of bytes on this machine: AVX512-VNNI for AVX-512, AVX-VNNI for
/// AVX2.
bool has_byte_dots(Isa isa);

/// True if there is code for `isa` and it runs on a machine whose widest set is `machine`.
bool runs_on(Isa isa, Isa machine);

/// "avx2"; of all sets in order.
std::string_view name_of(Isa isa);
std::span<const std::string_view> isa_names();
std::optional<Isa> isa_of(std::string_view name);

}  // namespace coracle::cpu
