// SPDX-License-Identifier: Apache-2.0
//
// Element-wise loops over contiguous floats; f takes and gives vectors of float. Outputs may be one of the inputs.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

template <class F>
HWY_INLINE void map(const float* x, float* y, size_t count, F f) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kFloatLanes <= count; i += kFloatLanes) hn::StoreU(f(hn::LoadU(d, x + i)), d, y + i);
  if (i < count) store_partial(d, f(load_partial(d, x + i, count - i)), y + i, count - i);
}

template <class F>
HWY_INLINE void map2(const float* x, const float* z, float* y, size_t count, F f) {
  const FloatTag d;
  size_t i = 0;
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
