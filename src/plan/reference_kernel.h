// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kernel.h"

namespace coracle::internal {

/// The last row of every operator: runs its `reference` on row-major operands of any type. Without a reference, which
/// the light library has of some operators only, it refuses to be planned.
KernelDef reference_kernel(const OpSchema& op);

/// The only one of a CustomOperator: what its user gave, on row-major operands.
const KernelDef& custom_kernel();

/// For nodes none of whose results has elements.
const KernelDef& nothing_kernel();

}  // namespace coracle::internal
