// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/run_context.h"

namespace coracle::internal {

/// An allocation of memory that must exist from step `first` to step `last`, both included.
struct ArenaAllocation {
  size_t bytes = 0;
  int first = 0;
  int last = 0;
};

/// Where each allocation lies in one common arena.
struct ArenaPlan {
  std::vector<size_t> offsets;  ///< by allocation, multiples of 64
  size_t bytes = 0;             ///< size of the arena
};

/// Places allocations so that those alive at the same time do not overlap: largest first, each at the lowest free
/// offset
/// ("greedy by size", Pisarchyk and Lee, arXiv 2001.03288). Deterministic.
ArenaPlan plan_arena(const RunContext& context, const std::vector<ArenaAllocation>& allocations);

/// The same where no arena may have more than so many bytes.
struct ArenaPlans {
  struct Spot {
    uint32_t arena = 0;
    size_t offset = 0;
  };
  std::vector<Spot> spots;    ///< by allocation
  std::vector<size_t> bytes;  ///< of each arena
};

/// Fills one arena after the other. Throws Error (out of memory) where an allocation alone is larger.
ArenaPlans plan_arenas(const RunContext& context, const std::vector<ArenaAllocation>& allocations, size_t largest);

}  // namespace coracle::internal
