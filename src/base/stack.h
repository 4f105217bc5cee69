// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace coracle::internal {

/// What loading a model or a run takes of its thread's stack at most, kernels included.
inline constexpr size_t kStackBytes = size_t{96} << 10U;

/// Throws Error (out of memory) where the stack of this thread has less than kStackBytes left, so that a small one is
/// no crash. `what` takes it, as in "loading a model". Stacks that the system knows nothing of, as those of coroutines,
/// are not looked at.
void require_stack(std::string_view what);

}  // namespace coracle::internal
