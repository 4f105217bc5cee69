// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/cpuid.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace coracle::internal::cpu {

#if defined(__x86_64__)

namespace {

struct Registers {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
};

/// All are 0 where there is no such leaf.
Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

/// Which registers the system saves, a bit for each kind (XCR0).
constexpr unsigned kVectors256 = 1U << 1U | 1U << 2U;
constexpr unsigned kVectors512 = kVectors256 | 1U << 5U | 1U << 6U | 1U << 7U;
constexpr unsigned kTiles = 1U << 17U | 1U << 18U;

bool saves(unsigned kinds) {
  constexpr unsigned kHasXgetbv = 1U << 27U;
  if ((cpuid(1, 0).ecx & kHasXgetbv) == 0) return false;
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kinds) == kinds;
}

struct Feature {
  std::string_view name;
  unsigned leaf;
  unsigned subleaf;
  unsigned Registers::*where;
  unsigned bit;
  unsigned saved;  ///< what it needs
};

constexpr Feature kFeatures[] = {
    {"fma", 1, 0, &Registers::ecx, 12, kVectors256},        {"bmi2", 7, 0, &Registers::ebx, 8, 0},
    {"avx2", 7, 0, &Registers::ebx, 5, kVectors256},        {"avx512f", 7, 0, &Registers::ebx, 16, kVectors512},
    {"avx512dq", 7, 0, &Registers::ebx, 17, kVectors512},   {"avx512cd", 7, 0, &Registers::ebx, 28, kVectors512},
    {"avx512bw", 7, 0, &Registers::ebx, 30, kVectors512},   {"avx512vl", 7, 0, &Registers::ebx, 31, kVectors512},
    {"avx512vnni", 7, 0, &Registers::ecx, 11, kVectors512}, {"avxvnni", 7, 1, &Registers::eax, 4, kVectors256},
    {"avx512bf16", 7, 1, &Registers::eax, 5, kVectors512},
};

}  // namespace

bool has_feature(std::string_view name) {
  for (const Feature& f : kFeatures) {
    if (f.name == name)
      return (cpuid(f.leaf, f.subleaf).*f.where >> f.bit & 1U) != 0 && (f.saved == 0 || saves(f.saved));
  }
  return false;
}

bool has_matrix_tiles() {
  constexpr unsigned kAmx = 1U << 22U | 1U << 24U | 1U << 25U;  // AMX-BF16, AMX-TILE, AMX-INT8
  return (cpuid(7, 0).edx & kAmx) == kAmx && saves(kTiles);
}

bool is_intel() {
  const Registers r = cpuid(0, 0);
  return r.ebx == signature_INTEL_ebx && r.edx == signature_INTEL_edx && r.ecx == signature_INTEL_ecx;
}

#else

bool has_feature(std::string_view) { return false; }
bool has_matrix_tiles() { return false; }
bool is_intel() { return false; }

#endif

}  // namespace coracle::internal::cpu
