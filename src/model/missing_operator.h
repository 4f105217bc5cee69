// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace coracle::internal {

/// Operators that Paddle has and Coracle has not, for one reason.
struct MissingOperators {
  const char* reason;  ///< as in "c_allreduce_sum (1 time): it exchanges data with other processes"
  const char* names;   ///< with a space between two
};

/// All that Paddle 2.6.2 registers, and Paddle 3.3.1 for PIR, without gradients, which end in "_grad".
std::span<const MissingOperators> missing_operators();

/// Why there is no operator of that type, which a model file names: what Paddle has it for, or that Paddle does not
/// have it either.
const char* missing_operator(std::string_view type);

/// The same of one that the file says is custom.
const char* custom_operator();

}  // namespace coracle::internal
