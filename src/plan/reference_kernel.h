// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kernel.h"

namespace coracle {

/// The last row of every operator: runs its `reference` on row-major operands of any type.
Kernel reference_kernel(const OpRow& op);

/// For nodes none of whose results has elements.
const Kernel& nothing_kernel();

}  // namespace coracle
