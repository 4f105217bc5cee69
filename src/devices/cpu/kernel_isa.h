// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/compute_mode.h"
#include "devices/cpu/isa.h"
#include "plan/kernel.h"

/// What the numbers of a KernelDef mean on the CPU.
namespace coracle::internal::cpu {

/// The instruction set that it needs.
constexpr Isa kernel_isa(const KernelDef& kernel) { return kernel.capability.as<Isa>(); }
/// How it multiplies float32.
constexpr ComputeMode kernel_mode(const KernelDef& kernel) { return kernel.mode.as<ComputeMode>(); }

}  // namespace coracle::internal::cpu
