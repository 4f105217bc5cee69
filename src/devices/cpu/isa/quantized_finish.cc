// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_finish.h"

#include <cstring>
#include <type_traits>

#include "epilogue.h"
#include "quantized.h"
#include "quantized_output.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// There are no fused multiply-adds before the functions of an epilogue, so that all instruction sets give the same
// bits.
class Finisher {
 public:
  explicit HWY_INLINE Finisher(const QuantizedResult& result)
      : result_(result), inverse_(inverse_of_scale(result.scale)) {
    split();
    if (last_factor_ == nullptr) most_integer_ = most_integer();
    keeps_numbers_ = chain_.in_tile && inverse_ > 0 && keeps_numbers(chain_.tile);
  }

  HWY_INLINE void finish(const QuantizedTile& part) const {
    if (most_integer_ >= 0) return finish_from_zero(part);
    if (result_.scale == 0) {
      finish_as<FloatOutput>(part);
    } else if (result_.round_half_away) {
      finish_as<IntegerOutput<true>>(part);
    } else {
      finish_as<IntegerOutput<false>>(part);
    }
  }

 private:
  using V = FloatVector;

  HWY_INLINE OutputForm form() const { return {result_.scale, inverse_, most_integer_}; }

  // Takes the parts of the epilogue that are done in front of the chain.
  HWY_INLINE void split() {
    const QuantizedResult& result = result_;
    const EpilogueOp* ops = result.epilogue;
    int count = result.epilogue_size;
    const auto take = [&](EpilogueKind kind) {
      return count > 0 && ops[0].step.kind == kind ? (--count, ops++) : nullptr;
    };
    if (const EpilogueOp* factor = take(EpilogueKind::kMultiplyChannel)) {
      factor_ = factor->tensor;
    } else if (count > 0 && ops[0].step.b == 0) {
      if (const EpilogueOp* scale = take(EpilogueKind::kScaleShift)) common_factor_ = scale->step.a;
    }
    chain_ = split_epilogue(ops, count);
    if (chain_.in_tile) return;
    // Without a factor at the end the rest may be short enough. Of functions only hard_swish: factors behind relu are
    // folded into what is in front of it.
    const bool rounds = result.scale != 0 && !result.round_half_away;
    if (rounds && ops[count - 1].step.kind == EpilogueKind::kMultiplyChannel) {
      Chain rest = split_epilogue(ops, count - 1);
      using Kind = TileEpilogue::Kind;
      if (rest.in_tile && (rest.tile.kind == Kind::kHardSwish || rest.tile.kind == Kind::kScaledHardSwish)) {
        if (rest.tile.kind == Kind::kHardSwish) rest.tile.scale = {EpilogueKind::kScaleShift, 1, 0};
        chain_ = rest;
        last_factor_ = ops[count - 1].tensor;
        return;
      }
    }
    // With a term behind the bias the rest may be short enough.
    const float* const bias = chain_.bias;
    take(EpilogueKind::kAddChannel);
    const EpilogueOp* term = take(EpilogueKind::kAddTensor);
    if (term == nullptr) term = take(EpilogueKind::kAddIntegers);
    if (term == nullptr) return;
    Chain rest = split_epilogue(ops, count);
    if (!rest.in_tile || rest.bias != nullptr) return;
    chain_ = rest;
    chain_.bias = bias;
    term_ = term->tensor;
    integers_ = term->integers;
    integer_step_ = term->step.a;
    term_stride_ = static_cast<size_t>(term->tensor_stride);
  }

  // Whether no sum becomes NaN with these numbers of its channel: then |sum| * factor + bias is below 1e30.
  HWY_INLINE bool makes_numbers(V factor, V bias, V last_factor) const {
    const FloatTag d;
    const V most = set(d, 1e20);
    const auto small = hn::And(hn::Le(hn::Abs(factor), most), hn::Le(hn::Abs(bias), most));
    return keeps_numbers_ && hn::AllTrue(d, hn::And(small, hn::IsFinite(last_factor)));
  }

  template <bool kNumber, class Out, class F>
  HWY_INLINE void finish_rows(const Out& out, const float* at, typename Out::T* result, size_t rows, size_t step,
                              size_t width, const F& finished) const {
    const auto stride = static_cast<size_t>(result_.stride);
    if (width == kFloatLanes) {
      for (; rows >= 2; rows -= 2, at += 2 * step, result += 2 * stride) {
        out.template store_two<kNumber>(finished(at), finished(at + step), result, result + stride);
      }
    }
    for (; rows > 0; --rows, at += step, result += stride) out.template store<kNumber>(finished(at), result, width);
  }

#if CORACLE_NARROWING_CLIPS
  // kVectors of columns from j on, which are written together: four, or two of one row after the other.
  template <bool kNumber, bool kLastFactor, size_t kVectors, class Out, class F>
  HWY_INLINE void finish_adjacent(const Out& out, const QuantizedTile& part, size_t j, typename Out::T* result,
                                  const F& function) const {
    const FloatTag d;
    const auto at = [&](const float* of_channels, size_t vector, V otherwise) HWY_ATTR {
      return of_channels == nullptr ? otherwise : hn::LoadU(d, of_channels + part.channel + j + vector * kFloatLanes);
    };
    V factors[kVectors];
    V biases[kVectors];
    V last[kVectors];
    CORACLE_UNROLL for (size_t v = 0; v < kVectors; ++v) {
      factors[v] = at(factor_, v, hn::Set(d, common_factor_));
      biases[v] = at(chain_.bias, v, hn::Zero(d));
      last[v] = at(last_factor_, v, factors[v]);
    }
    const auto finished = [=](float32x4_t sums, size_t vector) HWY_ATTR {
      const V v = function(hn::Add(hn::Mul(V(sums), factors[vector]), biases[vector]), nullptr);
      return kLastFactor ? hn::Mul(v, last[vector]) : v;
    };
    const int64_t row_stride = result_.stride;
    const auto stride = static_cast<size_t>(row_stride);
    const size_t step = part.stride;
    const float* sums = part.sums + j;
    size_t left = part.rows;
    if constexpr (kVectors == 4) {
      for (; left > 0; --left, sums += step, result += stride) {
        const float32x4x4_t row = vld1q_f32_x4(sums);
        out.template store_four<kNumber>(finished(row.val[0], 0), finished(row.val[1], 1), finished(row.val[2], 2),
                                         finished(row.val[3], 3), result);
      }
    } else {
      if (step == 2 * kFloatLanes) {
        for (; left >= 2; left -= 2, sums += 2 * step) {
          const float32x4x4_t rows = vld1q_f32_x4(sums);
          result = out.template store_two_rows<kNumber>(finished(rows.val[0], 0), finished(rows.val[1], 1),
                                                        finished(rows.val[2], 0), finished(rows.val[3], 1), result,
                                                        row_stride);
        }
      }
      for (; left > 0; --left, sums += step, result += stride) {
        const float32x4x2_t row = vld1q_f32_x2(sums);
        out.template store_adjacent<kNumber>(finished(row.val[0], 0), finished(row.val[1], 1), result);
      }
    }
  }
#endif

  // kNumber: whether the function's results are never NaN.
  template <bool kNumber, bool kLastFactor, class Out, class F>
  HWY_INLINE void finish_by(const Out& out, const QuantizedTile& part, const F& function) const {
    using T = typename Out::T;
    const FloatTag d;
    const auto stride = static_cast<size_t>(result_.stride);
    const size_t step = part.stride;
    T* const to = static_cast<T*>(result_.data) + part.pixel * result_.stride + part.channel;
    size_t j = 0;
#if CORACLE_NARROWING_CLIPS
    if (chain_.in_tile && term_ == nullptr && integers_ == nullptr) {
      for (; j + 4 * kFloatLanes <= part.columns; j += 4 * kFloatLanes) {
        finish_adjacent<kNumber, kLastFactor, 4>(out, part, j, to + j, function);
      }
      for (; j + 2 * kFloatLanes <= part.columns; j += 2 * kFloatLanes) {
        finish_adjacent<kNumber, kLastFactor, 2>(out, part, j, to + j, function);
      }
    }
#endif
    for (; j < part.columns; j += kFloatLanes) {
      const size_t width = width_at(part, j);
      const V factor = factor_ == nullptr ? set(d, static_cast<double>(common_factor_))
                                          : channels(factor_ + part.channel + j, width);
      const V bias = chain_.bias == nullptr ? hn::Zero(d) : channels(chain_.bias + part.channel + j, width);
      const V last_factor = kLastFactor ? channels(last_factor_ + part.channel + j, width) : hn::Zero(d);
      const auto scaled = [=](const float* at) HWY_ATTR { return hn::Add(hn::Mul(hn::LoadU(d, at), factor), bias); };
      const auto finished = [=](const float* at) HWY_ATTR {
        const V v = function(scaled(at), nullptr);
        return kLastFactor ? hn::Mul(v, last_factor) : v;
      };
      float* at = part.sums + j;
      T* result = to + j;
      if (!chain_.in_tile) {
        for (size_t r = 0; r < part.rows; ++r, at += step) hn::StoreU(function(scaled(at), nullptr), d, at);
      } else if (term_ != nullptr) {
        const float* term = first_of_term(term_, part, j);
        for (size_t r = 0; r < part.rows; ++r, at += step, result += stride, term += term_stride_) {
          const V sum = hn::Add(scaled(at), channels(term, width));
          out.template store<kNumber>(function(sum, nullptr), result, width);
        }
      } else if (integers_ != nullptr) {
        const V by = hn::Set(d, integer_step_);
        const int8_t* term = first_of_term(integers_, part, j);
        const auto summed = [=](const float* sums, const int8_t* integers) HWY_ATTR {
          return function(hn::Add(scaled(sums), hn::Mul(by, int8_as_floats(integers, width))), nullptr);
        };
        size_t left = part.rows;
        if (width == kFloatLanes) {
          for (; left >= 2; left -= 2, at += 2 * step, result += 2 * stride, term += 2 * term_stride_) {
            const V first = summed(at, term);
            out.template store_two<kNumber>(first, summed(at + step, term + term_stride_), result, result + stride);
          }
        }
        for (; left > 0; --left, at += step, result += stride, term += term_stride_) {
          out.template store<kNumber>(summed(at, term), result, width);
        }
      } else if (!kNumber && !Out::kTakesNaN && makes_numbers(factor, bias, last_factor)) {
        finish_rows<true>(out, at, result, part.rows, step, width, finished);
      } else {
        finish_rows<kNumber>(out, at, result, part.rows, step, width, finished);
      }
    }
  }

  // The most frequent way, with registers of its own.
  HWY_NOINLINE void finish_from_zero(const QuantizedTile& part) const {
    const auto same = [](V x, const float*) HWY_ATTR { return x; };
    finish_by<false, false>(IntegerOutput<false, true>(form()), part, same);
  }

  template <class Out>
  HWY_INLINE void finish_as(const QuantizedTile& part) const {
    using T = typename Out::T;
    const FloatTag d;
    const Out out(form());
    constexpr bool kEven = std::is_same_v<Out, IntegerOutput<false>>;  // rounds half to even
    using Kind = TileEpilogue::Kind;
    const auto same = [](V x, const float*) HWY_ATTR { return x; };
    if constexpr (kEven) {
      if (last_factor_ != nullptr) return finish_by<false, true>(out, part, scaled_hard_swish(chain_.tile));
    }
    if (chain_.tile.kind == Kind::kRelu) {
      finish_by<true, false>(out, part, [](V x, const float*) HWY_ATTR { return rectified(x); });
    } else if (is_identity(chain_.tile)) {
      finish_by<false, false>(out, part, same);
    } else {
      with_tile_epilogue<false>(chain_.tile,
                                [&](auto function) HWY_ATTR { finish_by<false, false>(out, part, function); });
    }
    if (chain_.in_tile) return;
    int64_t pixels[kMostFinishedRows];
    for (size_t r = 0; r < part.rows; ++r) pixels[r] = part.pixel + static_cast<int64_t>(r);
    const auto tile_stride = static_cast<int64_t>(part.stride);
    float* const first = part.sums - part.pixel * tile_stride - part.channel;
    apply_epilogue(chain_.ops, chain_.count, part.sums, part.stride, part.rows, part.columns,
                   {first, tile_stride, pixels, static_cast<size_t>(part.channel)});
    T* const to = static_cast<T*>(result_.data) + part.pixel * result_.stride + part.channel;
    for (size_t j = 0; j < part.columns; j += kFloatLanes) {
      for (size_t r = 0; r < part.rows; ++r) {
        const V v = hn::LoadU(d, part.sums + r * part.stride + j);
        out.template store<false>(v, to + r * static_cast<size_t>(result_.stride) + j, width_at(part, j));
      }
    }
  }

  static HWY_INLINE bool is_identity(const TileEpilogue& tile) {
    return tile.kind == TileEpilogue::Kind::kClip && tile.step.a == -__builtin_inff() &&
           tile.step.b == __builtin_inff();
  }

  // Whether it makes no NaN of numbers below 1e30.
  static HWY_INLINE bool keeps_numbers(const TileEpilogue& tile) {
    using Kind = TileEpilogue::Kind;
    const EpilogueStep& step = tile.step;
    if (tile.kind == Kind::kRelu) return true;
    if (tile.kind == Kind::kClip) return step.a <= step.b;
    const auto moderate = [](float x) { return x >= -100 && x <= 100; };
    const bool scales = tile.kind == Kind::kScaledHardSwish;
    return moderate(step.a) && moderate(step.b) && moderate(1.0f / step.c) &&
           (!scales || (moderate(tile.scale.a) && moderate(tile.scale.b)));
  }

  // The largest integer that a chain which is relu, or clips at what is rounded to 0, leaves; else -1.
  HWY_INLINE float most_integer() const {
    using Kind = TileEpilogue::Kind;
    if (result_.scale == 0 || result_.round_half_away || !chain_.in_tile) return -1;
    if (chain_.tile.kind == Kind::kRelu) return 127;
    if (chain_.tile.kind != Kind::kClip || !(chain_.tile.step.a <= chain_.tile.step.b)) return -1;
    const auto rounded = [this](float x) { return __builtin_nearbyintf(x * 127.0f * inverse_); };
    const float most = rounded(chain_.tile.step.b);
    if (rounded(chain_.tile.step.a) != 0 || !(most >= 0)) return -1;
    return most < 127 ? most : 127;
  }

  static HWY_INLINE size_t width_at(const QuantizedTile& part, size_t j) {
    return part.columns - j < kFloatLanes ? part.columns - j : kFloatLanes;
  }
  template <class T>
  HWY_INLINE const T* first_of_term(const T* term, const QuantizedTile& part, size_t j) const {
    return term + part.pixel * static_cast<int64_t>(term_stride_) + part.channel + static_cast<int64_t>(j);
  }
  static HWY_INLINE V channels(const float* from, size_t width) {
    const FloatTag d;
    return width == kFloatLanes ? hn::LoadU(d, from) : load_partial(d, from, width);
  }

  const QuantizedResult& result_;
  const float inverse_;  // of its scale
  const float* factor_ = nullptr;
  float common_factor_ = 1;             // without factor_
  const float* last_factor_ = nullptr;  // behind the chain's function
  const float* term_ = nullptr;         // added to each element in front of the chain's function
  const int8_t* integers_ = nullptr;    // the same in steps of integer_step_
  float integer_step_ = 0;
  size_t term_stride_ = 0;
  Chain chain_;
  float most_integer_ = -1;  // if the chain is done behind the rounding
  bool keeps_numbers_ = false;
};

static_assert(std::is_trivially_copyable_v<Finisher> && std::is_trivially_destructible_v<Finisher>);
static_assert(sizeof(Finisher) <= sizeof(QuantizedFinishing::state) &&
              alignof(Finisher) <= alignof(QuantizedFinishing));

void prepare(const QuantizedResult& result, QuantizedFinishing& to) {
  const Finisher finisher(result);
  memcpy(to.state, &finisher, sizeof(finisher));
}

void finish(const QuantizedFinishing& finishing, const QuantizedTile& tile) {
  reinterpret_cast<const Finisher*>(finishing.state)->finish(tile);
}

}  // namespace

const QuantizedFinishFunctions quantized_finish = {prepare, finish};

}  // namespace coracle::internal::cpu::CORACLE_ISA
