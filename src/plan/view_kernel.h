// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "plan/kernel.h"

namespace coracle {

/// Rows of all operators whose result is their operand's memory under another shape (OpRow::reshapes): any device
/// takes them.
std::span<const Kernel> view_kernels();

}  // namespace coracle
