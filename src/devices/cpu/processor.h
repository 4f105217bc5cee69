// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "devices/cpu/isa.h"

/// What kernels look at of a processor, and which one plans are made for: this machine's or, in tests, another.
namespace coracle::cpu {

struct Processor {
  std::string_view name;          ///< "avx512_vnni"
  Isa isa = Isa::kAny;            ///< the widest that there is code for
  bool avx2_byte_dots = false;    ///< AVX-VNNI
  bool avx512_byte_dots = false;  ///< AVX512-VNNI
  bool bf16_dots = false;         ///< AVX512-BF16, if not slower than float32
  bool matrix_tiles = false;      ///< Intel AMX, which the system lets this process use
};

/// The kinds of x86-64 processors that kernels tell apart and that this build has code for, the plainest first; none
/// for other architectures. Other extensions (AVX512-FP16 among them) change nothing.
std::span<const Processor> known_processors();

/// This machine's; its name is "this machine". Detected once.
const Processor& this_machine();

/// The one that kernels are chosen for and weights packed for: this machine's, unless a test says otherwise. All
/// functions of isa.h speak of it.
const Processor& processor();

/// Makes `processor()` another one until null is given. For tests, while nothing is loaded, planned or run:
/// tests/support/emulated_processor.h sees to the instructions that this machine lacks.
void emulate(const Processor* other);

/// True if this machine runs code for `isa`.
inline bool runs_here(Isa isa) { return runs_on(isa, this_machine().isa); }

}  // namespace coracle::cpu
