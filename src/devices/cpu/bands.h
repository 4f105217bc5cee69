// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>

#include "base/thread_pool.h"

namespace coracle::internal::cpu {

/// Shares `count` among so many bands, each on one thread with memory of its own: f(band, begin, end), once for each
/// band, or more often where threads are of several speeds.
template <class F>
void for_bands(ThreadPool& pool, int64_t count, int64_t bands, const F& f) noexcept {
  const int64_t pieces = std::max(bands, std::min(count, bands * pool.parts_each()));
  std::atomic<int64_t> next = 0;
  pool.parallel_for(bands, 1, [&](int64_t first, int64_t last) {
    for (int64_t band = first; band < last; ++band) {
      // Alike threads find in their caches what they wrote before.
      const auto take = [&](int64_t otherwise) { return pieces == bands ? otherwise : next.fetch_add(1); };
      for (int64_t piece = take(band); piece < pieces; piece = take(pieces)) {
        f(band, count * piece / pieces, count * (piece + 1) / pieces);
      }
    }
  });
}

}  // namespace coracle::internal::cpu
