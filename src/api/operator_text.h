// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/custom_operator.h"

/// What coracle_operator says in text of an operator's inputs, outputs and attributes (coracle/operator.h).
namespace coracle::internal {

/// "x, bias?, parts*"; null is an empty list. Throws Error with the operator's name.
std::vector<CustomPort> ports_from(const char* op, const char* text);

/// "axis: int = -1, sizes: ints"; null is an empty list. Throws Error with the operator's name.
std::vector<CustomAttribute> attributes_from(const char* op, const char* text);

}  // namespace coracle::internal
