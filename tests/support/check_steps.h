// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/steps.h"

namespace coracle::internal::test {

/// What is wrong with the memory of planned steps, empty if nothing is: a result that overwrites something still
/// needed, a tensor outside the arena or not aligned, an input of the program that is written.
std::string memory_complaint(const Graph& graph, const Steps& steps);

}  // namespace coracle::internal::test
