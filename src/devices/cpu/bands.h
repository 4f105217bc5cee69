// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread_pool.h"

namespace coracle::internal::cpu {

/// Cuts `count` into so many bands, each on one thread with memory of its own: f(band, begin, end).
template <class F>
void for_bands(ThreadPool& pool, int64_t count, int64_t bands, const F& f) noexcept {
  pool.parallel_for(bands, 1, [&](int64_t first, int64_t last) {
    for (int64_t band = first; band < last; ++band) f(band, count * band / bands, count * (band + 1) / bands);
  });
}

}  // namespace coracle::internal::cpu
