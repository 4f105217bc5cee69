// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/isa.h"

// Declares, inside namespace coracle::internal::cpu, one constant function table per instruction set of the
// architecture and
// `<name>_table(isa)`, which gives the table for an instruction set this machine runs, for kAny the widest. Only the
// declarations may be used by sources that are compiled per instruction set. A set that is left out (cmake/isas.cmake)
// runs on no machine (devices/cpu/isa.h); the plainest compiled one takes its place here.
#if defined(__x86_64__)
#if !defined(CORACLE_WITHOUT_SSE2)
#define CORACLE_IN_SSE2(name) sse2::name
#elif !defined(CORACLE_WITHOUT_AVX2)
#define CORACLE_IN_SSE2(name) avx2::name
#else
#define CORACLE_IN_SSE2(name) avx512::name
#endif
#if !defined(CORACLE_WITHOUT_AVX2)
#define CORACLE_IN_AVX2(name) avx2::name
#else
#define CORACLE_IN_AVX2(name) CORACLE_IN_SSE2(name)
#endif
#if !defined(CORACLE_WITHOUT_AVX512)
#define CORACLE_IN_AVX512(name) avx512::name
#else
#define CORACLE_IN_AVX512(name) CORACLE_IN_SSE2(name)
#endif
#define CORACLE_ISA_TABLES(Type, name)                                        \
  namespace sse2 {                                                            \
  extern const Type name;                                                     \
  }                                                                           \
  namespace avx2 {                                                            \
  extern const Type name;                                                     \
  }                                                                           \
  namespace avx512 {                                                          \
  extern const Type name;                                                     \
  }                                                                           \
  inline const Type& name##_table(Isa isa) {                                  \
    if (isa == Isa::kAny) isa = detected_isa();                               \
    if (isa == Isa::kAvx512) return CORACLE_IN_AVX512(name);                  \
    return isa == Isa::kAvx2 ? CORACLE_IN_AVX2(name) : CORACLE_IN_SSE2(name); \
  }
#else
#define CORACLE_ISA_TABLES(Type, name) \
  namespace neon {                     \
  extern const Type name;              \
  }                                    \
  inline const Type& name##_table(Isa) { return neon::name; }
#endif
