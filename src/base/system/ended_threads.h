// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal {

/// Whether all other threads of this process were ended, as some systems do before what a process does at its end. What
/// they held is held for ever.
#if defined(_WIN32)
bool other_threads_were_ended();
#else
constexpr bool other_threads_were_ended() { return false; }
#endif

}  // namespace coracle::internal
