// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/softmax.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/extremes.h"
#include "devices/cpu/isa/map.h"
#include "devices/cpu/isa/math.h"
#include "devices/cpu/isa/row_blocks.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

// Keeps a where b is no number.
struct MaxOp {
  HWY_INLINE V operator()(V a, V b) const { return at_least(b, a); }
};

// What e is raised to for an x that lies `difference` behind the largest: Paddle takes none for smaller than e^-64 of
// it.
HWY_INLINE V exponent_of(V difference) { return at_least(set(FloatTag(), -64.0), difference); }

// The same at [i, i + width) of a row in whose first `vectors` elements -64 stands for what is no number as well.
HWY_INLINE V exponent_in_row(V difference, size_t i, size_t width, size_t vectors) {
  const V number = at_least(difference, set(FloatTag(), -64.0));
  if (i + width <= vectors) return number;
  return hn::IfThenElse(hn::FirstN(FloatTag(), vectors > i ? vectors - i : 0), number, exponent_of(difference));
}

HWY_INLINE V exponential(V difference) { return math::exp_normal_within(FloatTag(), exponent_of(difference)); }

HWY_INLINE V lowest() { return set(FloatTag(), -__builtin_inff()); }

// Rows of so few elements, classes mostly, add up one by one. Where one class is nearly certain the rounding of this
// sum decides whether it gets 1 or a little less, and so which of several saturated scores a detector takes for the
// best.
constexpr size_t kShortRow = 8;

// e^(x - largest) into y, and their sum. Meanwhile the row `ahead` elements further comes into the cache.
HWY_INLINE float exponentials(const float* x, float* y, size_t n, size_t vectors, V largest, size_t ahead,
                              const Deadline* deadline) {
  const FloatTag d;
  const auto part = [=](size_t i, size_t width) {
    __builtin_prefetch(x + ahead + i);
    const V difference = hn::Sub(load_width(x + i, width), largest);
    const V e = math::exp_normal_within(d, exponent_in_row(difference, i, width, vectors));
    store_width(e, y + i, width);
    return e;
  };
  const V sums = accumulate_parts(n, deadline, hn::Zero(d), part, AddOp());
  if (n >= kShortRow) return hn::GetLane(hn::SumOfLanes(d, sums));
  float sum = 0;
  for (size_t i = 0; i < n; ++i) sum += y[i];
  return sum;
}

HWY_INLINE V largest_of(const float* x, size_t n, const Deadline* deadline) {
  const FloatTag d;
  if (n > 0 && x[0] != x[0]) return hn::Set(d, x[0]);
  return hn::Set(d, extreme_lane<true>(d, accumulate(x, n, deadline, lowest(), SameOp(), MaxOp())));
}

// Rows that take each step together: what one waits for, folding lanes, others fill.
constexpr size_t kTogether = 4;
constexpr size_t kLongRow = 2048;  // waits little, and several would not stay in the first-level cache

template <class F>
HWY_INLINE void in_groups(size_t rows, size_t n, F f) {
  const size_t together = n < kLongRow ? kTogether : 1;
  for (size_t r = 0; r < rows; r += together) f(r * n, rows - r < together ? rows - r : together);
}

void rows(const float* x, float* y, size_t rows, size_t n, size_t vectors, const Deadline* deadline) {
  const FloatTag d;
  in_groups(rows, n, [=](size_t begin, size_t count) {
    const float* from = x + begin;
    float* to = y + begin;
    const size_t ahead = (n < kLongRow ? kTogether : 1) * n;
    V values[kTogether];
    for (size_t r = 0; r < count; ++r) values[r] = largest_of(from + r * n, n, deadline);
    for (size_t r = 0; r < count; ++r) {
      values[r] = hn::Set(d, 1.0f / exponentials(from + r * n, to + r * n, n, vectors, values[r], ahead, deadline));
    }
    for (size_t r = 0; r < count; ++r) {
      map_row(to + r * n, to + r * n, n, deadline, [scale = values[r]](V v) { return hn::Mul(v, scale); });
    }
  });
}

void log_rows(const float* x, float* y, size_t rows, size_t n, const Deadline* deadline) {
  const FloatTag d;
  in_groups(rows, n, [=](size_t begin, size_t count) {
    const float* from = x + begin;
    V largest[kTogether];
    HWY_ALIGN float sums[kFloatLanes < kTogether ? kTogether : kFloatLanes] = {};
    for (size_t r = 0; r < count; ++r) largest[r] = largest_of(from + r * n, n, deadline);
    for (size_t r = 0; r < count; ++r) {
      sums[r] = sum_of(from + r * n, n, deadline, [of = largest[r]](V v) { return exponential(hn::Sub(v, of)); });
    }
    map(sums, sums, kTogether, [=](V v) { return math::log(d, v); });
    for (size_t r = 0; r < count; ++r) {
      map_row(from + r * n, y + begin + r * n, n, deadline, [of = largest[r], log_sum = hn::Set(d, sums[r])](V v) {
        return hn::Sub(exponent_of(hn::Sub(v, of)), log_sum);
      });
    }
  });
}

template <bool kLog, size_t kVectors>
HWY_INLINE void strip(const float* x, float* y, size_t n, size_t inner, size_t width, size_t vectors,
                      const Deadline* deadline) {
  const FloatTag d;
  V largest[kVectors], sum[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    largest[v] = n > 0 ? load_width(x + v * kFloatLanes, width) : lowest();
    sum[v] = hn::Zero(d);
  }
  for (size_t i = 0; i < n;) {
    for (const size_t end = block_end(i, n); i < end; ++i) {
      for (size_t v = 0; v < kVectors; ++v) {
        largest[v] = MaxOp()(largest[v], load_width(x + i * inner + v * kFloatLanes, width));
      }
    }
    if (gives_up(i, n, deadline)) return;
  }
  for (size_t i = 0; i < n;) {
    for (const size_t end = block_end(i, n); i < end; ++i) {
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t at = i * inner + v * kFloatLanes;
        const V difference = hn::Sub(load_width(x + at, width), largest[v]);
        const V e =
            math::exp_normal_within(d, i < vectors ? at_least(difference, set(d, -64.0)) : exponent_of(difference));
        sum[v] = hn::Add(sum[v], e);
        if constexpr (!kLog) store_width(e, y + at, width);
      }
    }
    if (gives_up(i, n, deadline)) return;
  }
  for (size_t v = 0; v < kVectors; ++v) sum[v] = kLog ? math::log(d, sum[v]) : hn::Div(set(d, 1.0), sum[v]);
  for (size_t i = 0; i < n;) {
    for (const size_t end = block_end(i, n); i < end; ++i) {
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t at = i * inner + v * kFloatLanes;
        const V result = kLog ? hn::Sub(exponent_of(hn::Sub(load_width(x + at, width), largest[v])), sum[v])
                              : hn::Mul(load_width(y + at, width), sum[v]);
        store_width(result, y + at, width);
      }
    }
    if (gives_up(i, n, deadline)) return;
  }
}

template <bool kLog>
HWY_INLINE void over_first_axis(const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                                size_t vectors, const Deadline* deadline) {
  in_strips(begin, end, [=](auto count, size_t from, size_t width) {
    strip<kLog, decltype(count)::value>(x + from, y + from, n, inner, width, vectors, deadline);
  });
}

void strided(const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end, size_t vectors,
             const Deadline* deadline) {
  over_first_axis<false>(x, y, n, inner, begin, end, vectors, deadline);
}
void log_strided(const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end, const Deadline* deadline) {
  over_first_axis<true>(x, y, n, inner, begin, end, 0, deadline);
}

}  // namespace

const SoftmaxFunctions softmax = {rows, log_rows, strided, log_strided};

}  // namespace coracle::internal::cpu::CORACLE_ISA
