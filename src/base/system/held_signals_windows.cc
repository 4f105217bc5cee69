// SPDX-License-Identifier: Apache-2.0
#include "base/system/held_signals.h"

namespace coracle::internal {

// What ends programs here comes on threads of its own, and cannot wait.
HeldSignals::HeldSignals() = default;
HeldSignals::~HeldSignals() = default;
bool HeldSignals::any_waits() { return false; }

}  // namespace coracle::internal
