// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coracle {

/// A block of memory that must exist from step `first` to step `last`, both included.
struct ArenaBlock {
  size_t bytes = 0;
  int first = 0;
  int last = 0;
};

/// Where each block lies in one common arena.
struct ArenaPlan {
  std::vector<size_t> offsets;  ///< by block, multiples of 64
  size_t bytes = 0;             ///< size of the arena
};

/// Places blocks so that those alive at the same time do not overlap: largest first, each at the lowest free offset
/// ("greedy by size", Pisarchyk and Lee, arXiv 2001.03288). Deterministic.
ArenaPlan plan_arena(const std::vector<ArenaBlock>& blocks);

}  // namespace coracle
