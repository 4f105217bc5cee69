// SPDX-License-Identifier: Apache-2.0
//
// Reductions of a contiguous row and of columns. The order of the operations depends on the length alone, never on
// where the row lies or which thread works on it.
#pragma once

#include "devices/cpu/isa/row_blocks.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// combine(...) over part(i, width), the vector of elements [i, i + width) of a row, in four partial vectors; lanes past
// the end hold `identity`. The caller folds the lanes. Of a long row anything if the run is over.
template <class Part, class Combine>
HWY_INLINE FloatVector accumulate_parts(size_t n, const Deadline* deadline, FloatVector identity, Part part,
                                        Combine combine) {
  const FloatTag d;
  FloatVector s0 = identity, s1 = identity, s2 = identity, s3 = identity;
  size_t i = 0;
  for (size_t end = 0; end < n;) {
    end = block_end(i, n);
    for (; i + 4 * kFloatLanes <= end; i += 4 * kFloatLanes) {
      s0 = combine(s0, part(i, kFloatLanes));
      s1 = combine(s1, part(i + kFloatLanes, kFloatLanes));
      s2 = combine(s2, part(i + 2 * kFloatLanes, kFloatLanes));
      s3 = combine(s3, part(i + 3 * kFloatLanes, kFloatLanes));
    }
    if (gives_up(end, n, deadline)) return identity;
  }
  for (; i + kFloatLanes <= n; i += kFloatLanes) s0 = combine(s0, part(i, kFloatLanes));
  if (i < n) s1 = combine(s1, hn::IfThenElse(hn::FirstN(d, n - i), part(i, n - i), identity));
  return combine(combine(s0, s1), combine(s2, s3));
}

// A vector of a strip whose width may be less than one vector.
HWY_INLINE FloatVector load_width(const float* x, size_t width) {
  const FloatTag d;
  return width >= kFloatLanes ? hn::LoadU(d, x) : load_partial(d, x, width);
}
HWY_INLINE void store_width(FloatVector v, float* y, size_t width) {
  const FloatTag d;
  if (width >= kFloatLanes) {
    hn::StoreU(v, d, y);
  } else {
    store_partial(d, v, y, width);
  }
}

// The same over map(x[i]).
template <class Map, class Combine>
HWY_INLINE FloatVector accumulate(const float* x, size_t n, const Deadline* deadline, FloatVector identity, Map map,
                                  Combine combine) {
  return accumulate_parts(
      n, deadline, identity, [=](size_t i, size_t width) { return map(load_width(x + i, width)); }, combine);
}

struct AddOp {
  HWY_INLINE FloatVector operator()(FloatVector a, FloatVector b) const { return hn::Add(a, b); }
};
struct SameOp {
  HWY_INLINE FloatVector operator()(FloatVector v) const { return v; }
};

template <class Map>
HWY_INLINE float sum_of(const float* x, size_t n, const Deadline* deadline, Map map) {
  const FloatTag d;
  return hn::GetLane(hn::SumOfLanes(d, accumulate(x, n, deadline, hn::Zero(d), map, AddOp())));
}

HWY_INLINE float inverse_square_root(float x) {
  const hn::CappedTag<float, 1> d;
  return 1.0f / hn::GetLane(hn::Sqrt(hn::Set(d, x)));
}

// f(begin, width) for parts of [begin, end): kMany whole vectors wide, then four, one whole vector, then what is left;
// f takes the number of vectors as a type, and the number of elements.
template <size_t kCount>
struct VectorCount {
  static constexpr size_t value = kCount;
};
template <size_t kMany = 4, class F>
HWY_INLINE void in_strips(size_t begin, size_t end, F f) {
  if constexpr (kMany > 4) {
    constexpr size_t kWidth = kMany * kFloatLanes;
    for (; begin + kWidth <= end; begin += kWidth) f(VectorCount<kMany>(), begin, kWidth);
  }
  for (; begin + 4 * kFloatLanes <= end; begin += 4 * kFloatLanes) f(VectorCount<4>(), begin, 4 * kFloatLanes);
  for (; begin + kFloatLanes <= end; begin += kFloatLanes) f(VectorCount<1>(), begin, kFloatLanes);
  if (begin < end) f(VectorCount<1>(), begin, end - begin);
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
