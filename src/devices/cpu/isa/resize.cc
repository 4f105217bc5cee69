// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/resize.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/map.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

constexpr size_t kLookColumns = 1 << 14;  // pixels of all channels between two looks at whether the run is over

// y = a * f + x
HWY_INLINE void add_scaled(const float* x, const float* a, const float* f, float* y, size_t count) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kFloatLanes <= count; i += kFloatLanes) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, f + i), hn::LoadU(d, x + i)), d, y + i);
  }
  if (i < count) {
    const size_t rest = count - i;
    const V sum = hn::MulAdd(load_partial(d, a + i, rest), load_partial(d, f + i, rest), load_partial(d, x + i, rest));
    store_partial(d, sum, y + i, rest);
  }
}

void nearest(const Resize& p, size_t begin, size_t end) {
  for (size_t row = begin; row < end; ++row) {
    const float* source = p.x + static_cast<size_t>(p.rows.low[row]) * p.in_width * p.channels;
    for (size_t column = 0; column < p.out_width; ++column) {
      if (column % kLookColumns == kLookColumns - 1 && over(p.deadline)) return;
      const float* x = source + static_cast<size_t>(p.columns.low[column]) * p.channels;
      const size_t at = (row * p.out_width + column) * p.channels;
      float* y = p.y + (row * p.out_width + column) * p.y_stride;
      if (p.factor != nullptr) {
        add_scaled(x, p.add + at, p.factor, y, p.channels);
      } else if (p.add != nullptr) {
        map2(x, p.add + at, y, p.channels, AddOp());
      } else {
        map(x, y, p.channels, SameOp());
      }
    }
  }
}

// s * a + t * b, with s = 1 - t: a sum of two products. By the difference of a and b, t * (b - a) + a, two infinities
// of one sign, and large numbers of different signs, would not be a number.
HWY_INLINE V mix(V a, V s, V b, V t) { return hn::MulAdd(t, b, hn::Mul(s, a)); }

void bilinear(const Resize& p, size_t begin, size_t end) {
  const FloatTag d;
  const V one = set(d, 1.0);
  const size_t pitch = p.in_width * p.channels;
  for (size_t row = begin; row < end; ++row) {
    const float* upper = p.x + static_cast<size_t>(p.rows.low[row]) * pitch;
    const float* lower = p.x + static_cast<size_t>(p.rows.high[row]) * pitch;
    const V down = hn::Set(d, p.rows.weight[row]);
    const V up = hn::Sub(one, down);
    for (size_t column = 0; column < p.out_width; ++column) {
      if (column % kLookColumns == kLookColumns - 1 && over(p.deadline)) return;
      const size_t left = static_cast<size_t>(p.columns.low[column]) * p.channels;
      const size_t right = static_cast<size_t>(p.columns.high[column]) * p.channels;
      const V across = hn::Set(d, p.columns.weight[column]);
      const V back = hn::Sub(one, across);
      const size_t at = (row * p.out_width + column) * p.channels;
      float* y = p.y + (row * p.out_width + column) * p.y_stride;
      for (size_t c = 0; c < p.channels; c += kFloatLanes) {
        const size_t width = p.channels - c < kFloatLanes ? p.channels - c : kFloatLanes;
        const V top = mix(load_width(upper + left + c, width), back, load_width(upper + right + c, width), across);
        const V bottom = mix(load_width(lower + left + c, width), back, load_width(lower + right + c, width), across);
        V result = mix(top, up, bottom, down);
        if (p.add != nullptr) result = hn::Add(result, load_width(p.add + at + c, width));
        store_width(result, y + c, width);
      }
    }
  }
}

bool doubles_width(const Resize& p) {
  if (p.out_width != 2 * p.in_width) return false;
  for (size_t i = 0; i < p.out_width; ++i) {
    if (static_cast<size_t>(p.columns.low[i]) != i / 2) return false;
  }
  return true;
}

void nearest_plane(const Resize& p, size_t begin, size_t end) {
  const FloatTag d;
  constexpr size_t kStep = 2 * kFloatLanes;
  const bool doubled = doubles_width(p);
  for (size_t row = begin; row < end; ++row) {
    const float* x = p.x + static_cast<size_t>(p.rows.low[row]) * p.in_width;
    float* y = p.y + row * p.out_width;
    const float* add = p.add != nullptr ? p.add + row * p.out_width : nullptr;
    if (row > begin && add == nullptr && p.rows.low[row] == p.rows.low[row - 1]) {
      map_row(y - p.out_width, y, p.out_width, p.deadline, SameOp());
      continue;
    }
    if (doubled && add == nullptr && p.out_width >= kStep) {
      for (size_t i = 0;; i += kStep) {
        if (i % kRowBlock == kRowBlock - kStep && over(p.deadline)) return;
        if (i + kStep > p.out_width) i = p.out_width - kStep;  // what is left, with some of what is done
        const V v = hn::LoadU(d, x + i / 2);
        hn::StoreInterleaved2(v, v, d, y + i);
        if (i + kStep == p.out_width) break;
      }
      continue;
    }
    in_row_blocks(p.out_width, p.deadline, [&](size_t first, size_t size) {
      for (size_t i = first; i < first + size; ++i) {
        const float value = x[p.columns.low[i]];
        y[i] = add != nullptr ? value + add[i] : value;
      }
    });
  }
}

void bilinear_plane(const Resize& p, size_t begin, size_t end) {
  const FloatTag d;
  const V one = set(d, 1.0);
  const IntTag di;
  for (size_t row = begin; row < end; ++row) {
    const float* upper = p.x + static_cast<size_t>(p.rows.low[row]) * p.in_width;
    const float* lower = p.x + static_cast<size_t>(p.rows.high[row]) * p.in_width;
    const V down = hn::Set(d, p.rows.weight[row]);
    const V up = hn::Sub(one, down);
    for (size_t i = 0; i < p.out_width; i += kFloatLanes) {
      if (i % kRowBlock == kRowBlock - kFloatLanes && over(p.deadline)) return;
      const size_t width = p.out_width - i < kFloatLanes ? p.out_width - i : kFloatLanes;
      const bool whole = width == kFloatLanes;  // lanes past the end read column 0
      const auto left = whole ? hn::LoadU(di, p.columns.low + i) : load_partial(di, p.columns.low + i, width);
      const auto right = whole ? hn::LoadU(di, p.columns.high + i) : load_partial(di, p.columns.high + i, width);
      const V across = load_width(p.columns.weight + i, width);
      const V back = hn::Sub(one, across);
      const V top = mix(hn::GatherIndex(d, upper, left), back, hn::GatherIndex(d, upper, right), across);
      const V bottom = mix(hn::GatherIndex(d, lower, left), back, hn::GatherIndex(d, lower, right), across);
      V result = mix(top, up, bottom, down);
      const size_t at = row * p.out_width + i;
      if (p.add != nullptr) result = hn::Add(result, load_width(p.add + at, width));
      store_width(result, p.y + at, width);
    }
  }
}

}  // namespace

const ResizeFunctions resize = {nearest, bilinear, nearest_plane, bilinear_plane};

}  // namespace coracle::internal::cpu::CORACLE_ISA
