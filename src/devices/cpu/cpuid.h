// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// What an x86-64 processor says of itself by CPUID (Intel's Software Developer's Manual, volume 2), read here and not
/// by the compiler's
/// `__builtin_cpu_supports`, for which some compilers' libraries have nothing but a stub. Elsewhere all is false.
namespace coracle::internal::cpu {

/// Whether the processor has a feature and the system saves the registers that it needs. Names are those of compilers:
/// fma, bmi2, avx2, avx512f, avx512dq, avx512cd, avx512bw, avx512vl, avx512vnni, avxvnni, avx512bf16. False for others.
bool has_feature(std::string_view name);

/// Whether the processor has AMX with tiles of int8 and bfloat16 and the system saves tiles. Programs have to ask the
/// system before they use them.
bool has_matrix_tiles();

/// Whether Intel made the processor.
bool is_intel();

}  // namespace coracle::internal::cpu
