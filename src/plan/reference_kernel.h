// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kernel.h"

namespace coracle::internal {

/// The last row of every operator: runs its `reference` on row-major operands of any type.
KernelDef reference_kernel(const OpSchema& op);

/// For nodes none of whose results has elements.
const KernelDef& nothing_kernel();

}  // namespace coracle::internal
