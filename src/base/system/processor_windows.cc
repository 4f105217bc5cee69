// SPDX-License-Identifier: Apache-2.0
#include "base/system/processor.h"

namespace coracle::internal {

bool permit_matrix_tiles() { return false; }
unsigned long hardware_capabilities() { return 0; }
unsigned long more_hardware_capabilities() { return 0; }

}  // namespace coracle::internal
