// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "devices/cpu/capabilities.h"

/// What kernels look at of a processor, and which one plans are made for: this machine's or, in tests, another.
namespace coracle::internal::cpu {

struct Processor {
  std::string_view name;       ///< "avx512_vnni"
  CapabilitySet capabilities;  ///< that there is code for

  bool has(Capability capability) const { return capabilities.has(capability); }
  /// The widest set that there is code for; kAny if there is none.
  Isa isa() const { return widest_isa(capabilities); }
};

/// The kinds of processors that kernels tell apart and that this build has code for, the plainest first.
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
inline bool runs_here(Isa isa) { return runs_on(isa, this_machine().isa()); }

}  // namespace coracle::internal::cpu
