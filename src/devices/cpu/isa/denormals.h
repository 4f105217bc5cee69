// SPDX-License-Identifier: Apache-2.0
//
// Weights too small for a normal number. Included only by sources that are compiled once per instruction set.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// v * by, with denormal numbers in v as zeros. Trained weights hold some (channels that died), a product with one takes
// an Intel processor a hundred times as long, and what it adds to a sum is below 1.2e-38 times the other factor.
HWY_INLINE FloatVector flushed(FloatVector v, FloatVector by) {
  const FloatTag d;
  const IntTag di;
  const auto tiny = hn::Eq(hn::And(hn::BitCast(di, v), hn::Set(di, 0x7f800000)), hn::Zero(di));
  return hn::Mul(hn::IfThenZeroElse(hn::RebindMask(d, tiny), v), by);
}

// The same for `count` floats in place.
HWY_INLINE void flush_denormals(float* p, int64_t count, float scale = 1) {
  const FloatTag d;
  const auto by = hn::Set(d, scale);
  constexpr int64_t kLanes = kFloatLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(flushed(hn::LoadU(d, p + i), by), d, p + i);
  if (i < count) {
    const auto rest = static_cast<size_t>(count - i);
    store_partial(d, flushed(load_partial(d, p + i, rest), by), p + i, rest);
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
