// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/isa.h"

// Declares, inside namespace coracle::cpu, one constant function table per instruction set of the architecture and
// `<name>_table(isa)`, which gives the table for an instruction set this machine runs, for kAny the widest. Only the
// declarations may be used by sources that are compiled per instruction set.
#if defined(__x86_64__)
#define CORACLE_ISA_TABLES(Type, name)                  \
  namespace sse2 {                                      \
  extern const Type name;                               \
  }                                                     \
  namespace avx2 {                                      \
  extern const Type name;                               \
  }                                                     \
  namespace avx512 {                                    \
  extern const Type name;                               \
  }                                                     \
  inline const Type& name##_table(Isa isa) {            \
    if (isa == Isa::kAny) isa = detected_isa();         \
    if (isa == Isa::kAvx512) return avx512::name;       \
    return isa == Isa::kAvx2 ? avx2::name : sse2::name; \
  }
#else
#define CORACLE_ISA_TABLES(Type, name) \
  namespace neon {                     \
  extern const Type name;              \
  }                                    \
  inline const Type& name##_table(Isa) { return neon::name; }
#endif
