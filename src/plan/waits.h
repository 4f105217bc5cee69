// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/steps.h"

/// When the host waits for devices. The host walks over the steps in order; what is for a device goes into that
/// device's queue and is done later, in the same order. Hence:
///
///  - Steps of one device, copies included, never wait for each other, and a device's arena is planned as if its steps
///    were done at once.
///  - The host waits before a step that reads what a copy brings (Step::waits), and for everything at the end of the
///    segment. A wait for a copy is one for all that its queue was given before.
///  - Host memory that a copy reads or writes belongs to it until the first wait for that copy, or for a later one of
///    its queue: no result of a step before lies there. That is the one rule for memory that two sides use
///    (`host_memory_free_at`), and placement.cc extends live ranges by it.
namespace coracle {

/// Moves copies of what steps make to right behind these steps: a wait for one then waits for nothing that was given
/// later. For steps as they were added, one for each local.
void advance_copies(Steps& steps);

/// Sets Step::waits, for steps in their final order and number.
void add_waits(Steps& steps);

/// For each copy, the step before which the host has waited for it; INT_MAX for those that only the end of the segment
/// waits for. 0 for other steps.
std::vector<int> host_memory_free_at(const Steps& steps);

}  // namespace coracle
