// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "coracle/operator.h"
#include "graph/custom_operator.h"

namespace coracle::internal {

/// The operator that a user gives. Throws Error.
std::shared_ptr<const CustomOperator> operator_from(const coracle_operator& given);

/// From here on its end is told to the user (coracle_operator.release).
void take_over(const CustomOperator& op);

/// What coracle_load_operators does. Throws Error.
void load_operators(const char* path);

}  // namespace coracle::internal
