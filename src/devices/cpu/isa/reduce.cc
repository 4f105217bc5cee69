// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/reduce.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/extremes.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

struct MulOp {
  HWY_INLINE V operator()(V a, V b) const { return hn::Mul(a, b); }
};
struct SquareOp {
  HWY_INLINE V operator()(V v) const { return hn::Mul(v, v); }
};
struct AbsOp {
  HWY_INLINE V operator()(V v) const { return hn::Abs(v); }
};

// f(map, combine, identity, fold of the lanes), for sums and products.
template <class F>
HWY_INLINE void with_kind(ReduceKind kind, F f) {
  const FloatTag d;
  const auto sum = [=](V v) { return hn::GetLane(hn::SumOfLanes(d, v)); };
  const auto product = [=](V v) {
    HWY_ALIGN float lanes[kFloatLanes];
    hn::Store(v, d, lanes);
    float result = 1;
    for (float lane : lanes) result *= lane;
    return result;
  };
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kMean: return f(SameOp(), AddOp(), hn::Zero(d), sum);
    case ReduceKind::kSumSquares: return f(SquareOp(), AddOp(), hn::Zero(d), sum);
    case ReduceKind::kSumAbs: return f(AbsOp(), AddOp(), hn::Zero(d), sum);
    case ReduceKind::kProduct: return f(SameOp(), MulOp(), set(d, 1.0), product);
    case ReduceKind::kMax:
    case ReduceKind::kMin: return;
  }
}

void rows(ReduceKind kind, const float* x, float* y, size_t rows, size_t n, const Deadline* deadline) {
  if (kind == ReduceKind::kMax) return extremes_of_rows<true>(x, y, rows, n);
  if (kind == ReduceKind::kMin) return extremes_of_rows<false>(x, y, rows, n);
  const float divisor = kind == ReduceKind::kMean ? static_cast<float>(n) : 1.0f;
  with_kind(kind, [=](auto map, auto combine, V identity, auto fold) {
    for (size_t r = 0; r < rows; ++r) y[r] = fold(accumulate(x + r * n, n, deadline, identity, map, combine)) / divisor;
  });
}

// Partial results over this many rows are combined in turn, which keeps long sums accurate.
constexpr size_t kGroup = 64;

// Rows lie far apart, so that each access should take several cache lines of one.
constexpr size_t kStripVectors = sizeof(V) < 64 ? 8 : 4;

void strided(ReduceKind kind, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
             const Deadline* deadline) {
  if (kind == ReduceKind::kMax) return extremes_of_columns<true>(x, y, n, inner, begin, end);
  if (kind == ReduceKind::kMin) return extremes_of_columns<false>(x, y, n, inner, begin, end);
  const FloatTag d;
  const V divisor = hn::Set(d, kind == ReduceKind::kMean ? static_cast<float>(n) : 1.0f);
  with_kind(kind, [=](auto map, auto combine, V identity, auto) {
    in_strips<kStripVectors>(begin, end, [=](auto count, size_t from, size_t width) {
      constexpr size_t kVectors = decltype(count)::value;
      V total[kVectors];
      for (size_t v = 0; v < kVectors; ++v) total[v] = identity;
      for (size_t group = 0; group < n; group += kGroup) {
        if (group % kRowBlock == kRowBlock - kGroup && over(deadline)) return;
        const size_t group_end = group + kGroup < n ? group + kGroup : n;
        V part[kVectors];
        for (size_t v = 0; v < kVectors; ++v) part[v] = identity;
        for (size_t i = group; i < group_end; ++i) {
          for (size_t v = 0; v < kVectors; ++v) {
            part[v] = combine(part[v], map(load_width(x + i * inner + from + v * kFloatLanes, width)));
          }
        }
        for (size_t v = 0; v < kVectors; ++v) total[v] = combine(total[v], part[v]);
      }
      for (size_t v = 0; v < kVectors; ++v) store_width(hn::Div(total[v], divisor), y + from + v * kFloatLanes, width);
    });
  });
}

template <bool kLargest>
HWY_INLINE auto better(V candidate, V best) {
  return kLargest ? hn::Gt(candidate, best) : hn::Lt(candidate, best);
}

template <bool kLargest>
HWY_INLINE void arg_of_rows(const float* x, int64_t* y, size_t rows, size_t n, const Deadline* deadline) {
  const FloatTag d;
  const V worst = set(d, kLargest ? -__builtin_inff() : __builtin_inff());
  for (size_t r = 0; r < rows; ++r, x += n) {
    const V best = accumulate(x, n, deadline, worst, SameOp(),
                              [](V a, V b) { return hn::IfThenElse(better<kLargest>(b, a), b, a); });
    const V wanted = hn::Set(d, extreme_lane<kLargest>(d, best));
    y[r] = 0;
    for (size_t i = 0; i < n; i += kFloatLanes) {
      if (i % kRowBlock == kRowBlock - kFloatLanes && over(deadline)) return;
      const size_t width = n - i < kFloatLanes ? n - i : kFloatLanes;
      const auto found = hn::And(hn::Eq(load_width(x + i, width), wanted), hn::FirstN(d, width));
      const intptr_t lane = hn::FindFirstTrue(d, found);
      if (lane >= 0) {
        y[r] = static_cast<int64_t>(i) + lane;
        break;
      }
    }
  }
}

void arg_rows(bool largest, const float* x, int64_t* y, size_t rows, size_t n, const Deadline* deadline) {
  return largest ? arg_of_rows<true>(x, y, rows, n, deadline) : arg_of_rows<false>(x, y, rows, n, deadline);
}

template <bool kLargest>
HWY_INLINE void arg_over_first_axis(const float* x, int64_t* y, size_t n, size_t inner, size_t begin, size_t end,
                                    const Deadline* deadline) {
  const FloatTag d;
  const IntTag di;
  for (size_t from = begin; from < end; from += kFloatLanes) {
    const size_t width = end - from < kFloatLanes ? end - from : kFloatLanes;
    V best = set(d, kLargest ? -__builtin_inff() : __builtin_inff());
    auto index = hn::Zero(di);
    for (size_t i = 0; i < n;) {
      for (const size_t stop = block_end(i, n); i < stop; ++i) {
        const V value = load_width(x + i * inner + from, width);
        const auto replace = better<kLargest>(value, best);
        best = hn::IfThenElse(replace, value, best);
        index = hn::IfThenElse(hn::RebindMask(di, replace), hn::Set(di, static_cast<int32_t>(i)), index);
      }
      if (gives_up(i, n, deadline)) return;
    }
    HWY_ALIGN int32_t lanes[kFloatLanes];
    hn::Store(index, di, lanes);
    for (size_t k = 0; k < width; ++k) y[from + k] = lanes[k];
  }
}

void arg_strided(bool largest, const float* x, int64_t* y, size_t n, size_t inner, size_t begin, size_t end,
                 const Deadline* deadline) {
  return largest ? arg_over_first_axis<true>(x, y, n, inner, begin, end, deadline)
                 : arg_over_first_axis<false>(x, y, n, inner, begin, end, deadline);
}

}  // namespace

const ReduceFunctions reduce = {rows, strided, arg_rows, arg_strided};

}  // namespace coracle::internal::cpu::CORACLE_ISA
