// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>

namespace coracle::internal {

/// Number of this process: another one in a child that was forked.
inline int64_t this_process() { return ::getpid(); }

}  // namespace coracle::internal
