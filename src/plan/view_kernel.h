// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "plan/kernel.h"

namespace coracle::internal {

/// Kernels of all operators whose result is their operand's memory under another shape (OpSchema::reshapes): any device
/// takes them.
std::span<const KernelDef> view_kernels();

}  // namespace coracle::internal
