// SPDX-License-Identifier: Apache-2.0
//
// float32 numbers as sums of bfloat16 numbers: x = p0 + p1 + p2, where each part is what is left, rounded to the
// nearest (Henry, Tang, Heinecke: "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision
// Computations", ARITH 2019). Three parts are exact as long as the last is a normal number, which holds for |x| >=
// 2^-109; what is lost below is less than 2^-126. Included only by sources that are compiled once per instruction set.
#pragma once

#include "vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using BitsTag = hn::Repartition<uint32_t, FloatTag>;
using BitsVector = hn::Vec<BitsTag>;

constexpr uint32_t kUpperHalf = 0xffff0000U;

// A bfloat16 number is the upper half of a float. Rounds to the nearest, ties to even; not for infinity and NaN.
HWY_INLINE BitsVector rounded_to_bf16(FloatVector x) {
  const BitsTag d;
  const BitsVector bits = hn::BitCast(d, x);
  const BitsVector odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  return hn::And(hn::Add(hn::Add(bits, hn::Set(d, 0x7fff)), odd), hn::Set(d, kUpperHalf));
}

// The first part of numbers that have none, or that would be rounded to infinity: those are cut, so that the other
// parts make up for it; infinity and NaN have one part. *rest becomes what is left.
HWY_NOINLINE BitsVector first_part_of_special(FloatVector x, FloatVector* rest) {
  const FloatTag d;
  const BitsTag db;
  const BitsVector exponent = hn::Set(db, 0x7f800000);
  const auto has_no_number = [&](BitsVector bits) HWY_ATTR { return hn::Eq(hn::And(bits, exponent), exponent); };
  const BitsVector bits = hn::BitCast(db, x);
  BitsVector first = rounded_to_bf16(x);
  first = hn::IfThenElse(has_no_number(first), hn::And(bits, hn::Set(db, kUpperHalf)), first);
  first = hn::IfThenElse(hn::RebindMask(db, hn::IsNaN(x)), hn::Set(db, 0x7fc00000), first);
  *rest = hn::IfThenZeroElse(hn::RebindMask(d, has_no_number(bits)), hn::Sub(x, hn::BitCast(d, first)));
  return first;
}

// The parts of x, each in the upper halves of its lanes.
template <int kParts>
HWY_INLINE void split_into_parts(FloatVector x, BitsVector (&parts)[kParts]) {
  const FloatTag d;
  const BitsTag db;
  const BitsVector exponent = hn::Set(db, 0x7f800000);
  const BitsVector first = rounded_to_bf16(x);
  const BitsVector largest = hn::Max(hn::And(hn::BitCast(db, x), exponent), hn::And(first, exponent));
  FloatVector rest;
  if (HWY_LIKELY(hn::AllFalse(db, hn::Eq(largest, exponent)))) {
    parts[0] = first;
    rest = hn::Sub(x, hn::BitCast(d, first));
  } else {
    parts[0] = first_part_of_special(x, &rest);
  }
  for (int p = 1; p < kParts; ++p) {
    parts[p] = rounded_to_bf16(rest);
    rest = hn::Sub(rest, hn::BitCast(d, parts[p]));
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
