// SPDX-License-Identifier: Apache-2.0
//
// Element-wise loops over contiguous floats; f takes and gives vectors of float. Outputs may be one of the inputs.
// Where f has little to do, two vectors are read before they are written: a processor that compares the last 12 bits of
// addresses holds back a read that seems to follow the write to its place.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

template <size_t kTogether = 1, class F>
HWY_INLINE void map(const float* x, float* y, size_t count, F f) {
  const FloatTag d;
  size_t i = 0;
  if constexpr (kTogether == 2) {
    for (; i + 2 * kFloatLanes <= count; i += 2 * kFloatLanes) {
      const auto first = f(hn::LoadU(d, x + i));
      const auto second = f(hn::LoadU(d, x + i + kFloatLanes));
      hn::StoreU(first, d, y + i);
      hn::StoreU(second, d, y + i + kFloatLanes);
    }
  }
  for (; i + kFloatLanes <= count; i += kFloatLanes) hn::StoreU(f(hn::LoadU(d, x + i)), d, y + i);
  if (i < count) store_partial(d, f(load_partial(d, x + i, count - i)), y + i, count - i);
}

template <class F>
HWY_INLINE void map2(const float* x, const float* z, float* y, size_t count, F f) {
  const FloatTag d;
  size_t i = 0;
  for (; i + 2 * kFloatLanes <= count; i += 2 * kFloatLanes) {
    const size_t next = i + kFloatLanes;
    const auto first = f(hn::LoadU(d, x + i), hn::LoadU(d, z + i));
    const auto second = f(hn::LoadU(d, x + next), hn::LoadU(d, z + next));
    hn::StoreU(first, d, y + i);
    hn::StoreU(second, d, y + next);
  }
  for (; i + kFloatLanes <= count; i += kFloatLanes) {
    hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, z + i)), d, y + i);
  }
  if (i < count) {
    const size_t rest = count - i;
    store_partial(d, f(load_partial(d, x + i, rest), load_partial(d, z + i, rest)), y + i, rest);
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
