// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal {
class Deadline;
}

namespace coracle::internal::cpu {

/// Whether a run's deadline, null for none, has passed: for loops of one long line, which the pool does not cut. Who
/// finds it true returns, whatever is unfinished. Its own header has inline functions, which may not be compiled for
/// one instruction set alone.
bool over(const Deadline* deadline) noexcept;

}  // namespace coracle::internal::cpu
