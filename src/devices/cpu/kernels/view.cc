// SPDX-License-Identifier: Apache-2.0
#include "plan/view_kernel.h"

/// Operators whose result is their operand's memory under another shape.
namespace coracle::cpu::kernels {

extern const KernelTable view;
const KernelTable view = {view_kernels()};

}  // namespace coracle::cpu::kernels
