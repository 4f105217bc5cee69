// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "graph/op.h"

namespace coracle::test {

/// Gives the numbers that decide about a case: pseudo-random ones, or those of a fuzz target's bytes.
using Choose = std::function<uint64_t()>;

/// Infers and, where the results are small, runs one node of an operator, by its reference and by the kernel that is
/// chosen for it. Attributes, operands, their types, shapes and elements are what a damaged or hostile file could
/// give, all decided by `choose`. Whatever is thrown that is not an Error comes out. True if the node ran.
bool run_hostile_node(const OpRow& row, const Choose& choose);

}  // namespace coracle::test
