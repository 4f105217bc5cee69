// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/steps.h"

/// Who waits for whom. The host walks over the steps in order; what is for a device goes into that device's queue and
/// is done later: kernels in their order, and beside them copies in theirs (plan/queue.h). Hence:
///
///  - Kernels of one device never wait for each other, and its arena is planned as if they were done at once.
///  - A kernel waits for the copies that bring what it reads (Step::after), and a copy to the host for the kernels that
///    were given before it.
///  - The host waits before a step that reads what a copy brings (Step::waits), and for everything at the end of the
///    segment. Once it has waited for a copy, all copies that the queue was given before are done, and all kernels.
///  - Memory at both ends of a copy belongs to it: of one to the host until the host has waited for it; of one to the
///    device what it reads for as long, and what it writes from the last copy on that the host had waited for when it
///    gave it, so that no kernel still uses that. placement.cc extends live ranges by these rules and no others.
namespace coracle::internal {

/// Moves copies of what steps make to right behind these steps: a wait for one then waits for nothing that was given
/// later. For steps as they were added, one for each buffer.
void advance_copies(Steps& steps);

/// Sets Step::waits and Step::after, for steps in their final order and number.
void add_waits(Steps& steps);

/// While which steps a copy may be under way, and memory at its ends is its own.
struct CopySpan {
  int first = 0;  ///< the first step of its device that may not be done when it begins
  int last = 0;   ///< the step before which the host has waited for it; INT_MAX: only the end of the segment does
  friend bool operator==(const CopySpan&, const CopySpan&) = default;
};

/// By step; that of steps which are no copies means nothing.
std::vector<CopySpan> copy_spans(const Steps& steps);

}  // namespace coracle::internal
