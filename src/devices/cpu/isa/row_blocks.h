// SPDX-License-Identifier: Apache-2.0
//
// Loops over rows that may be so long that a run can be over meanwhile. They go block by block: the inner loop stays
// as it is, and its sums go on in the next block.
#pragma once

#include <cstddef>

#include "devices/cpu/isa/map.h"
#include "devices/cpu/isa/over.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr size_t kRowBlock = 1 << 18;  // steps between two looks; a multiple of any unrolled step

// Where the block that begins at i of [0, n) ends.
HWY_INLINE size_t block_end(size_t i, size_t n) { return n - i > kRowBlock ? i + kRowBlock : n; }

// Whether to leave the blocks of [0, n) that are not done, from i on, as they are.
HWY_INLINE bool gives_up(size_t i, size_t n, const Deadline* deadline) { return i < n && over(deadline); }

// f(begin, size) for each block.
template <class F>
HWY_INLINE void in_row_blocks(size_t n, const Deadline* deadline, F f) {
  for (size_t i = 0; i < n;) {
    const size_t end = block_end(i, n);
    f(i, end - i);
    i = end;
    if (gives_up(i, n, deadline)) return;
  }
}

// map over a row that may be long.
template <class F>
HWY_INLINE void map_row(const float* x, float* y, size_t count, const Deadline* deadline, F f) {
  in_row_blocks(count, deadline, [=](size_t begin, size_t size) { map(x + begin, y + begin, size, f); });
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
