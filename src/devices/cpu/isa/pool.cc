// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/pool.h"

#include "devices/cpu/isa/accumulate.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

// finish(combined, divisor) over the windows of the output rows [begin, end).
template <class Combine, class Finish>
HWY_INLINE void pooled(const Pool& p, size_t begin, size_t end, V identity, Combine combine, Finish finish) {
  const FloatTag d;
  for (size_t row = begin; row < end; ++row) {
    for (size_t column = 0; column < p.out_width; ++column) {
      const int32_t top = p.rows.begin[row], bottom = p.rows.end[row];
      const int32_t left = p.columns.begin[column], right = p.columns.end[column];
      float* y = p.y + (row * p.out_width + column) * p.y_stride;
      const V divisor =
          p.rows.divisor == nullptr
              ? identity
              : hn::Set(d, static_cast<float>(p.rows.divisor[row]) * static_cast<float>(p.columns.divisor[column]));
      in_strips(0, p.channels, [=, &p](auto count, size_t from, size_t width) {
        constexpr size_t kVectors = decltype(count)::value;
        V total[kVectors];
        for (size_t v = 0; v < kVectors; ++v) total[v] = identity;
        for (int32_t r = top; r < bottom; ++r) {
          const float* x = p.x + (static_cast<size_t>(r) * p.in_width + static_cast<size_t>(left)) * p.channels + from;
          for (int32_t c = left; c < right; ++c, x += p.channels) {
            for (size_t v = 0; v < kVectors; ++v) total[v] = combine(total[v], load_width(x + v * kFloatLanes, width));
          }
        }
        for (size_t v = 0; v < kVectors; ++v) store_width(finish(total[v], divisor), y + from + v * kFloatLanes, width);
      });
    }
  }
}

void max(const Pool& p, size_t begin, size_t end) {
  const V lowest = set(FloatTag(), -__FLT_MAX__);
  pooled(
      p, begin, end, lowest, [](V a, V b) { return at_least(a, b); }, [](V total, V) { return total; });
}

void average(const Pool& p, size_t begin, size_t end) {
  pooled(p, begin, end, hn::Zero(FloatTag()), AddOp(), [](V total, V divisor) { return hn::Div(total, divisor); });
}

}  // namespace

const PoolFunctions pool = {max, average};

}  // namespace coracle::cpu::CORACLE_ISA
