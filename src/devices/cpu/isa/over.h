// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::cpu {

/// Deadline::over() for loops of one long line, which the pool does not cut: who finds it true returns, whatever is
/// unfinished. Its own header has inline functions, which may not be compiled for one instruction set alone.
bool over() noexcept;

}  // namespace coracle::cpu
