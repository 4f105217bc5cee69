// SPDX-License-Identifier: Apache-2.0
//
// Weights too small for a normal number. Included only by sources that are compiled once per instruction set.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

// Makes denormal numbers zero, and multiplies all. Trained weights hold some (channels that died), a product with one
// takes an Intel processor a hundred times as long, and what it adds to a sum is below 1.2e-38 times the other factor.
HWY_INLINE void flush_denormals(float* p, int64_t count, float scale = 1) {
  const FloatTag d;
  const IntTag di;
  const auto exponent = hn::Set(di, 0x7f800000);
  const auto by = hn::Set(d, scale);
  const auto flushed = [=](FloatVector v) HWY_ATTR {
    const auto tiny = hn::Eq(hn::And(hn::BitCast(di, v), exponent), hn::Zero(di));
    return hn::Mul(hn::IfThenZeroElse(hn::RebindMask(d, tiny), v), by);
  };
  constexpr int64_t kLanes = kFloatLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(flushed(hn::LoadU(d, p + i)), d, p + i);
  if (i < count) {
    const auto rest = static_cast<size_t>(count - i);
    store_partial(d, flushed(load_partial(d, p + i, rest)), p + i, rest);
  }
}

}  // namespace
}  // namespace coracle::cpu::CORACLE_ISA
