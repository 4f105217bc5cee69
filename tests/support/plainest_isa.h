// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/isa.h"

namespace coracle::test {

/// The name of the plainest instruction set that this build has kernels for and this machine runs.
inline std::string plainest_isa() {
  for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (runs_on(isa, detected_isa())) return std::string(name_of(isa));
  }
  return std::string(name_of(detected_isa()));
}

}  // namespace coracle::test
