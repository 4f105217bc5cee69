// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/lines.h"

#include "devices/cpu/isa/accumulate.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

void sum(const WeightedLines& p) {
  if (p.channels == 1) {
    float total = p.adds ? *p.y : 0.0f;
    for (size_t i = 0; i < p.count; ++i) total += p.weights[i] * p.x[p.offsets[i]];
    *p.y = total;
    return;
  }
  in_strips(0, p.channels, [&](auto strip, size_t from, size_t width) {
    constexpr size_t kVectors = decltype(strip)::value;
    const FloatTag d;
    V total[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      total[v] = p.adds ? load_width(p.y + from + v * kFloatLanes, width) : hn::Zero(d);
    }
    const float* x = p.x + from;
    for (size_t i = 0; i < p.count; ++i) {
      const V weight = hn::Set(d, p.weights[i]);
      const float* line = x + p.offsets[i];
      for (size_t v = 0; v < kVectors; ++v) {
        total[v] = hn::MulAdd(weight, load_width(line + v * kFloatLanes, width), total[v]);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) store_width(total[v], p.y + from + v * kFloatLanes, width);
  });
}

void sum_channelwise(const WeightedLines& p, const int32_t* elements) {
  in_strips(0, p.channels, [&](auto strip, size_t from, size_t width) {
    constexpr size_t kVectors = decltype(strip)::value;
    V total[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      total[v] = p.adds ? load_width(p.y + from + v * kFloatLanes, width) : hn::Zero(FloatTag());
    }
    for (size_t i = 0; i < p.count; ++i) {
      const float* line = p.x + p.offsets[i] + from;
      const float* weight = p.weights + static_cast<size_t>(elements[i]) * p.channels + from;
      for (size_t v = 0; v < kVectors; ++v) {
        const V by = load_width(weight + v * kFloatLanes, width);
        total[v] = hn::MulAdd(by, load_width(line + v * kFloatLanes, width), total[v]);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) store_width(total[v], p.y + from + v * kFloatLanes, width);
  });
}

// f(pixel, its place) for the pixels of a box, plane by plane.
template <class F>
HWY_INLINE void each_pixel(const PixelBox& p, size_t from, F f) {
  for (int64_t z = 0; z < p.planes; ++z) {
    for (int64_t r = 0; r < p.rows; ++r) {
      const float* x = p.x + z * p.plane_stride + r * p.row_stride + from;
      int32_t place = p.first_place + static_cast<int32_t>(z) * p.plane_places + static_cast<int32_t>(r) * p.row_places;
      for (int64_t c = 0; c < p.columns; ++c, x += p.channels) f(x, place++);
    }
  }
}

void largest(const PixelBox& p) {
  in_strips(0, p.channels, [&](auto strip, size_t from, size_t width) {
    constexpr size_t kVectors = decltype(strip)::value;
    const FloatTag d;
    const IntTag di;
    V most[kVectors];
    hn::Vec<IntTag> place[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      most[v] = p.begins ? load_width(p.x + from + v * kFloatLanes, width) : hn::Set(d, -__FLT_MAX__);
      place[v] = hn::Set(di, p.begins ? p.first_place : -1);
    }
    each_pixel(p, from, [&](const float* x, int32_t number) HWY_ATTR {
      const auto at = hn::Set(di, number);
      for (size_t v = 0; v < kVectors; ++v) {
        const V value = load_width(x + v * kFloatLanes, width);
        const auto more = hn::Gt(value, most[v]);
        most[v] = hn::IfThenElse(more, value, most[v]);
        place[v] = hn::IfThenElse(hn::RebindMask(di, more), at, place[v]);
      }
    });
    for (size_t v = 0; v < kVectors; ++v) {
      store_width(most[v], p.y + from + v * kFloatLanes, width);
      if (p.places == nullptr) continue;
      int32_t* to = p.places + from + v * kFloatLanes;
      if (width >= kFloatLanes) {
        hn::StoreU(place[v], di, to);
      } else {
        store_partial(di, place[v], to, width);
      }
    }
  });
}

void maximum(const PixelBox& p) {
  in_strips(0, p.channels, [&](auto strip, size_t from, size_t width) {
    constexpr size_t kVectors = decltype(strip)::value;
    V most[kVectors];
    for (size_t v = 0; v < kVectors; ++v) most[v] = hn::Set(FloatTag(), -__FLT_MAX__);
    each_pixel(p, from, [&](const float* x, int32_t) HWY_ATTR {
      for (size_t v = 0; v < kVectors; ++v) most[v] = at_least(most[v], load_width(x + v * kFloatLanes, width));
    });
    for (size_t v = 0; v < kVectors; ++v) store_width(most[v], p.y + from + v * kFloatLanes, width);
  });
}

void mean(const PixelBox& p, float divisor) {
  in_strips(0, p.channels, [&](auto strip, size_t from, size_t width) {
    constexpr size_t kVectors = decltype(strip)::value;
    const FloatTag d;
    V total[kVectors];
    for (size_t v = 0; v < kVectors; ++v) total[v] = hn::Zero(d);
    each_pixel(p, from, [&](const float* x, int32_t) HWY_ATTR {
      for (size_t v = 0; v < kVectors; ++v) total[v] = hn::Add(total[v], load_width(x + v * kFloatLanes, width));
    });
    const V by = hn::Set(d, divisor);
    for (size_t v = 0; v < kVectors; ++v) store_width(hn::Div(total[v], by), p.y + from + v * kFloatLanes, width);
  });
}

}  // namespace

extern const LinesFunctions lines;
const LinesFunctions lines = {sum, sum_channelwise, largest, maximum, mean};

}  // namespace coracle::internal::cpu::CORACLE_ISA
