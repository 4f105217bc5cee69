// SPDX-License-Identifier: Apache-2.0
#include "base/isa.h"

namespace coracle {
namespace {

constexpr std::string_view kNames[] = {"any", "neon", "sse2", "avx2", "avx512"};

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (!avx2) return Isa::kSse2;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  return avx512 ? Isa::kAvx512 : Isa::kAvx2;
#elif defined(__aarch64__)
  return Isa::kNeon;
#else
  return Isa::kAny;
#endif
}

}  // namespace

Isa detected_isa() {
  static const Isa kDetected = detect();
  return kDetected;
}

bool runs_on(Isa isa, Isa machine) {
  if (isa == Isa::kAny || isa == machine) return true;
  return machine != Isa::kNeon && isa != Isa::kNeon && isa < machine;
}

std::string_view name_of(Isa isa) { return kNames[static_cast<size_t>(isa)]; }

std::optional<Isa> isa_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Isa>(i);
  }
  return std::nullopt;
}

}  // namespace coracle
