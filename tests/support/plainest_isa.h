// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "devices/cpu/isa.h"

namespace coracle::internal::test {

/// The name of the plainest instruction set that this build has kernels for and this machine runs.
inline std::string plainest_isa() {
  for (cpu::Isa isa : {cpu::Isa::kSse2, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
    if (cpu::runs_on(isa, cpu::detected_isa())) return std::string(name_of(isa));
  }
  return std::string(name_of(cpu::detected_isa()));
}

}  // namespace coracle::internal::test
