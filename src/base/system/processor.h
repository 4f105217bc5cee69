// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal {

/// Asks the system for the state of matrix tiles, for this thread and those that start later: without, an instruction
/// on them is a fault. False where it refuses, or has none to give.
bool permit_matrix_tiles();

/// What the system says of ARM's processors, a bit each (Linux' asm/hwcap.h of each architecture); 0 elsewhere. macOS
/// is asked for those bits alone that kernels distinguish.
unsigned long hardware_capabilities();
/// The second word of them on 64-bit ARM.
unsigned long more_hardware_capabilities();

}  // namespace coracle::internal
