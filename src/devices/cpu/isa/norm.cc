// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/norm.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/map.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

// y = f(x) * scale + bias over one row.
template <class F>
HWY_INLINE void scaled(const float* x, const float* scale, const float* bias, float* y, size_t n,
                       const Deadline* deadline, F f) {
  for (size_t i = 0, end = 0; end < n;) {
    end = block_end(i, n);
    for (; i < end; i += kFloatLanes) {
      const size_t width = n - i < kFloatLanes ? n - i : kFloatLanes;
      V v = f(load_width(x + i, width));
      if (scale != nullptr && bias != nullptr) {
        v = hn::MulAdd(v, load_width(scale + i, width), load_width(bias + i, width));
      } else if (scale != nullptr) {
        v = hn::Mul(v, load_width(scale + i, width));
      } else if (bias != nullptr) {
        v = hn::Add(v, load_width(bias + i, width));
      }
      store_width(v, y + i, width);
    }
    if (gives_up(end, n, deadline)) return;
  }
}

struct Moments {
  float mean;
  float variance;
};

HWY_INLINE Moments moments_of(const float* x, size_t n, const Deadline* deadline) {
  const float mean = sum_of(x, n, deadline, SameOp()) / static_cast<float>(n);
  const V center = hn::Set(FloatTag(), mean);
  const float squares = sum_of(x, n, deadline, [=](V v) {
    const V c = hn::Sub(v, center);
    return hn::Mul(c, c);
  });
  return {mean, squares / static_cast<float>(n)};
}

// The row to normalise: x itself, or x + residual, stored where there is room for it.
HWY_INLINE const float* row_input(const RowNorm& p, size_t r) {
  const float* x = p.x + r * p.n;
  if (p.residual == nullptr) {
    if (p.sum != nullptr && p.sum != p.x) map_row(x, p.sum + r * p.n, p.n, p.deadline, SameOp());
    return x;
  }
  float* sum = (p.sum != nullptr ? p.sum : p.y) + r * p.n;
  const float* residual = p.residual + r * p.n;
  in_row_blocks(p.n, p.deadline, [=](size_t i, size_t size) { map2(x + i, residual + i, sum + i, size, AddOp()); });
  return sum;
}

void layer_norm(const RowNorm& p) {
  const FloatTag d;
  for (size_t r = 0; r < p.rows; ++r) {
    const float* x = row_input(p, r);
    const Moments m = moments_of(x, p.n, p.deadline);
    if (p.mean != nullptr) p.mean[r] = m.mean;
    if (p.variance != nullptr) p.variance[r] = m.variance;
    const V mean = hn::Set(d, m.mean);
    const V factor = hn::Set(d, inverse_square_root(m.variance + p.epsilon));
    scaled(x, p.scale, p.bias, p.y + r * p.n, p.n, p.deadline, [=](V v) { return hn::Mul(hn::Sub(v, mean), factor); });
  }
}

void rms_norm(const RowNorm& p) {
  const FloatTag d;
  for (size_t r = 0; r < p.rows; ++r) {
    const float* x = row_input(p, r);
    const float squares = sum_of(x, p.n, p.deadline, [](V v) { return hn::Mul(v, v); });
    const V factor = hn::Set(d, inverse_square_root(squares / static_cast<float>(p.n) + p.epsilon));
    scaled(x, p.scale, p.bias, p.y + r * p.n, p.n, p.deadline, [=](V v) { return hn::Mul(v, factor); });
  }
}

void group_norm(const GroupNorm& p, size_t begin, size_t end) {
  const FloatTag d;
  const size_t size = p.channels_per_group * p.area;
  for (size_t g = begin; g < end; ++g) {
    const float* x = p.x + g * size;
    float* y = p.y + g * size;
    const Moments m = moments_of(x, size, p.deadline);
    const float factor = inverse_square_root(m.variance + p.epsilon);
    const V mean = hn::Set(d, m.mean);
    for (size_t c = 0; c < p.channels_per_group; ++c) {
      const size_t channel = g % p.groups * p.channels_per_group + c;
      const V scale = hn::Set(d, p.scale != nullptr ? factor * p.scale[channel] : factor);
      const V bias = hn::Set(d, p.bias != nullptr ? p.bias[channel] : 0.0f);
      map_row(x + c * p.area, y + c * p.area, p.area, p.deadline,
              [=](V v) { return hn::MulAdd(hn::Sub(v, mean), scale, bias); });
    }
  }
}

// result[c] = sum over the rows of map(x[row, c], center[c]), for the columns [begin, end) of [rows, columns]. Partial
// sums over 64 rows are added up in turn, which keeps long sums accurate.
template <class Map>
HWY_INLINE void column_sums(const float* x, const float* center, float* result, size_t rows, size_t columns,
                            size_t begin, size_t end, const Deadline* deadline, Map map) {
  const FloatTag d;
  in_strips(begin, end, [=](auto count, size_t from, size_t width) {
    constexpr size_t kVectors = decltype(count)::value;
    V total[kVectors], middle[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      total[v] = hn::Zero(d);
      middle[v] = load_width(center + from + v * kFloatLanes, width);
    }
    for (size_t group = 0; group < rows; group += 64) {
      if (group % kRowBlock == kRowBlock - 64 && over(deadline)) return;
      const size_t group_end = group + 64 < rows ? group + 64 : rows;
      V part[kVectors];
      for (size_t v = 0; v < kVectors; ++v) part[v] = hn::Zero(d);
      for (size_t r = group; r < group_end; ++r) {
        for (size_t v = 0; v < kVectors; ++v) {
          part[v] = hn::Add(part[v], map(load_width(x + r * columns + from + v * kFloatLanes, width), middle[v]));
        }
      }
      for (size_t v = 0; v < kVectors; ++v) total[v] = hn::Add(total[v], part[v]);
    }
    for (size_t v = 0; v < kVectors; ++v) store_width(total[v], result + from + v * kFloatLanes, width);
  });
}

HWY_INLINE float group_mean(const float* sums, size_t channels, size_t area) {
  float total = 0;
  for (size_t c = 0; c < channels; ++c) total += sums[c];
  return total / static_cast<float>(channels * area);
}

void group_norm_channels_last(const GroupNorm& p, size_t begin, size_t end, float* workspace) {
  const size_t size = p.channels_per_group;
  const size_t channels = p.groups * size;
  float* mean = workspace;
  float* factor = workspace + channels;
  const size_t first = begin * size, last = end * size;
  for (size_t c = first; c < last; ++c) mean[c] = 0;
  column_sums(p.x, mean, factor, p.area, channels, first, last, p.deadline, [](V v, V) { return v; });
  for (size_t g = begin; g < end; ++g) {
    const float value = group_mean(factor + g * size, size, p.area);
    for (size_t c = 0; c < size; ++c) mean[g * size + c] = value;
  }
  column_sums(p.x, mean, factor, p.area, channels, first, last, p.deadline, [](V v, V center) {
    const V c = hn::Sub(v, center);
    return hn::Mul(c, c);
  });
  for (size_t g = begin; g < end; ++g) {
    const float value = inverse_square_root(group_mean(factor + g * size, size, p.area) + p.epsilon);
    for (size_t c = g * size; c < (g + 1) * size; ++c) factor[c] = p.scale != nullptr ? value * p.scale[c] : value;
  }
  const FloatTag d;
  const size_t looks = kRowBlock / (last - first + 1) + 1;  // there may be no channels
  for (size_t r = 0; r < p.area; ++r) {
    if (r % looks == looks - 1 && over(p.deadline)) return;
    const float* x = p.x + r * channels;
    float* y = p.y + r * channels;
    for (size_t c = first; c < last; c += kFloatLanes) {
      const size_t width = last - c < kFloatLanes ? last - c : kFloatLanes;
      const V bias = p.bias != nullptr ? load_width(p.bias + c, width) : hn::Zero(d);
      const V centered = hn::Sub(load_width(x + c, width), load_width(mean + c, width));
      store_width(hn::MulAdd(centered, load_width(factor + c, width), bias), y + c, width);
    }
  }
}

void affine_rows(const float* x, const float* scale, const float* shift, float* y, size_t rows, size_t columns,
                 const Deadline* deadline) {
  const FloatTag d;
  for (size_t r = 0; r < rows; ++r) {
    const V a = hn::Set(d, scale[r]);
    const V b = hn::Set(d, shift[r]);
    map_row(x + r * columns, y + r * columns, columns, deadline, [=](V v) { return hn::MulAdd(v, a, b); });
  }
}

void affine_columns(const float* x, const float* scale, const float* shift, float* y, size_t rows, size_t columns,
                    const Deadline* deadline) {
  for (size_t r = 0; r < rows; ++r) scaled(x + r * columns, scale, shift, y + r * columns, columns, deadline, SameOp());
}

}  // namespace

const NormFunctions norm = {layer_norm, rms_norm, group_norm, group_norm_channels_last, affine_rows, affine_columns};

}  // namespace coracle::internal::cpu::CORACLE_ISA
