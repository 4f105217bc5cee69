// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/compute_mode.h"
#include "devices/cpu/isa.h"
#include "plan/kernel.h"

/// What the numbers of a kernel row mean on the CPU.
namespace coracle::cpu {

/// The instruction set that it needs.
constexpr Isa row_isa(const Kernel& kernel) { return kernel.capability.as<Isa>(); }
/// How it multiplies float32.
constexpr ComputeMode row_mode(const Kernel& kernel) { return kernel.mode.as<ComputeMode>(); }

}  // namespace coracle::cpu
