// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantize.h"

#include <algorithm>
#include <vector>

#include "devices/cpu/isa/binary.h"
#include "devices/cpu/isa/unary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/quantize/dequantize_linear.h"
#include "ops/quantize/fake_quantize_dequantize_moving_average_abs_max.h"
#include "ops/quantize/fake_quantize_moving_average_abs_max.h"
#include "ops/quantize/quantize_linear.h"
#include "ops/quantize/to_int8.h"

/// Quantisation of activations in programs trained for it, with scales that are constant.
namespace coracle::internal::cpu::kernels::quantize {
namespace {

struct State {
  const QuantizeFunctions* functions = nullptr;
  const UnaryFunctions* unary = nullptr;  ///< set for dequantisation by one factor
  Quantization quantization;
  UnaryStep factor;
  std::vector<float> scales;  ///< one, or one for each element along the lines
  MemoryLines lines;
  int64_t count = 0;
};

/// What differs between the operators.
struct Form {
  int bits = 8;
  int axis = -1;  ///< of the scales; negative: one scale
  QuantizationRounding rounding = QuantizationRounding::kHalfAwayFromZero;
  bool dequantize = false;
};

Form form_of(const FakeQuantizeDequantizeMovingAverageAbsMax& op) { return {op.bit_length, -1, op.round_type, true}; }
Form form_of(const FakeQuantizeMovingAverageAbsMax& op) { return {op.bit_length, -1, op.round_type, false}; }
Form form_of(const QuantizeLinear& op) { return {op.bit_length, op.quant_axis, op.round_type, false}; }

RejectionReason fits_scale(const ArgFacts& args) {
  if (args.all_out().size() != 1) return "the training state is wanted";
  const Tensor* scale = known_value(args, 1);
  return scale == nullptr || scale->count() == 0 ? "the scale is not constant" : nullptr;
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if constexpr (std::is_same_v<Op, QuantizeLinear>) {
    if (static_cast<const Op*>(op)->only_observer) return "only observes";
  }
  return fits_scale(args);
}

Prepared prepared_form(const RunContext& run, const Form& form, const ArgFacts& args) {
  State s;
  s.functions = &quantize_table(kernel_isa(args.kernel()));
  s.quantization.range = quantization_limit(form.bits);
  s.quantization.round_half_away = form.rounding == QuantizationRounding::kHalfAwayFromZero;
  s.quantization.dequantize = form.dequantize;
  s.scales = scales_of(run, *known_value(args, 1));
  s.count = args.shape(0).count();
  if (form.axis >= 0) s.lines = MemoryLines(args.in(0), form.axis);
  const size_t extra = s.scales.size() * sizeof(float);
  return in_place(prepared(std::move(s), 0, extra));
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepared_form(*context.run, form_of(*static_cast<const Op*>(op)), args);
}

RejectionReason fits_dequantize(const void* op, const ArgFacts& args) {
  if (static_cast<const DequantizeLinear*>(op)->only_observer) return "only observes";
  if (const RejectionReason rejection = fits_scale(args)) return rejection;
  return known_value(args, 1)->count() == 1 ? nullptr : "more than one scale";
}

Prepared prepare_dequantize(const void* op, const ArgFacts& args, PrepareContext& context) {
  State s;
  s.unary = &unary_table(kernel_isa(args.kernel()));
  s.factor = {.kind = UnaryKind::kScaleShift,
              .a = scales_of(*context.run, *known_value(args, 1))[0] /
                   quantization_limit(static_cast<const DequantizeLinear*>(op)->bit_length)};
  s.count = args.shape(0).count();
  return in_place(prepared(std::move(s)));
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const float* x = call.in[0].as<const float>();
  float* y = call.out[0].as<float>();
  const float* scales = s.scales.data();
  if (s.unary != nullptr || s.scales.size() == 1) {
    call.pool->parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
      const auto count = static_cast<size_t>(end - begin);
      if (s.unary != nullptr) {
        s.unary->apply(s.factor, x + begin, y + begin, count);
      } else {
        s.functions->tensor(s.quantization, x + begin, *scales, y + begin, count);
      }
    });
    return;
  }
  const int64_t n = s.lines.length;
  const int64_t inner = s.lines.inner;
  if (inner == 1) {
    call.pool->parallel_for(s.lines.outer, grain_of(n), [&](int64_t begin, int64_t end) {
      s.functions->columns(s.quantization, x + begin * n, scales, y + begin * n, static_cast<size_t>(end - begin),
                           static_cast<size_t>(n));
    });
    return;
  }
  call.pool->parallel_for(s.lines.outer * n, grain_of(inner), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t first = begin % n;
      const int64_t rows = end - begin < n - first ? end - begin : n - first;
      s.functions->rows(s.quantization, x + begin * inner, scales + first, y + begin * inner, static_cast<size_t>(rows),
                        static_cast<size_t>(inner));
      begin += rows;
    }
  });
}

RejectionReason fits_to_int8(const void*, const ArgFacts& args) {
  return args.has(1) ? "multiplies by a factor" : nullptr;
}

Prepared prepare_to_int8(const void* op_attributes, const ArgFacts& args, PrepareContext&) {
  const auto& op = *static_cast<const ToInt8*>(op_attributes);
  State s;
  s.functions = &quantize_table(kernel_isa(args.kernel()));
  s.quantization.round_half_away = op.round_type == QuantizationRounding::kHalfAwayFromZero;
  s.scales = {op.scale};
  s.count = args.shape(0).count();
  return prepared(std::move(s));
}

void run_to_int8(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const float* x = call.in[0].as<const float>();
  auto* y = call.out[0].as<int8_t>();
  call.pool->parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
    s.functions->to_int8(s.quantization.round_half_away, x + begin, s.scales[0], y + begin,
                         static_cast<size_t>(end - begin));
  });
}

/// What to_int8 of channels with factors needs: a part of the products at a time is kept near.
struct ScaledState {
  static constexpr int64_t kPart = 2048;

  const QuantizeFunctions* quantize = nullptr;
  const BinaryFunctions* binary = nullptr;
  int64_t images = 0;
  int64_t pixels = 0;  ///< of an image
  int64_t channels = 0;
  int64_t factor_step = 0;  ///< from image to image
  float scale = 1;
  bool round_half_away = false;
};

RejectionReason fits_scaled(const void*, const ArgFacts& args) {
  if (!args.has(1)) return "there is no factor";
  const Shape& x = args.shape(0);
  const Shape& factor = args.shape(1);
  if (args.out().shape != x) return "x is repeated";
  return factor == Shape{x[0], x[1], 1, 1} || factor == Shape{1, x[1], 1, 1} ? nullptr
                                                                             : "the factor is not one per channel";
}

Prepared prepare_scaled(const void* op_attributes, const ArgFacts& args, PrepareContext&) {
  const auto& op = *static_cast<const ToInt8*>(op_attributes);
  const Shape& x = args.shape(0);
  return prepared(ScaledState{.quantize = &quantize_table(kernel_isa(args.kernel())),
                              .binary = &binary_table(kernel_isa(args.kernel())),
                              .images = x[0],
                              .pixels = x[2] * x[3],
                              .channels = x[1],
                              .factor_step = args.shape(1)[0] > 1 ? x[1] : 0,
                              .scale = op.scale,
                              .round_half_away = op.round_type == QuantizationRounding::kHalfAwayFromZero});
}

void run_scaled(KernelCall& call) noexcept {
  const auto& s = state_of<ScaledState>(call);
  const float* x = call.in[0].as<const float>();
  const float* factor = call.in[1].as<const float>();
  auto* y = call.out[0].as<int8_t>();
  const int64_t most = std::max<int64_t>(1, ScaledState::kPart / std::max<int64_t>(s.channels, 1));
  call.pool->parallel_for(s.images * s.pixels, grain_of(s.channels), [&](int64_t begin, int64_t end) {
    float part[ScaledState::kPart];
    for (int64_t rows = 0; begin < end; begin += rows) {
      const int64_t image = begin / s.pixels;
      rows = std::min({most, end - begin, (image + 1) * s.pixels - begin});
      // More channels than a part has stand in several, of one pixel.
      for (int64_t channel = 0; channel < s.channels; channel += ScaledState::kPart) {
        const auto width = static_cast<size_t>(std::min(s.channels - channel, ScaledState::kPart));
        const int64_t at = begin * s.channels + channel;
        s.binary->row_right(BinaryKind::kMultiply, x + at, factor + image * s.factor_step + channel, part,
                            static_cast<size_t>(rows), width, {});
        s.quantize->to_int8(s.round_half_away, part, s.scale, y + at, static_cast<size_t>(rows) * width);
      }
    }
  });
}

/// Zero points, which nothing is computed with, may be of any type.
constexpr TypeRule kQuantizeRule = {.in = {{{2, DTypes::all()}}}};

template <class Op, Isa kIsa>
constexpr KernelDef make_kernel(decltype(KernelDef::fits) fits, decltype(KernelDef::prepare) prepare) {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .layout = LayoutRule::kSame,
          .types = kQuantizeRule,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

template <class Op, Isa kIsa>
constexpr KernelDef quantize_kernel() {
  return make_kernel<Op, kIsa>(fits<Op>, prepare<Op>);
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 6> kKernels = {
      quantize_kernel<FakeQuantizeDequantizeMovingAverageAbsMax, kIsa>(),
      quantize_kernel<FakeQuantizeMovingAverageAbsMax, kIsa>(),
      quantize_kernel<QuantizeLinear, kIsa>(),
      make_kernel<DequantizeLinear, kIsa>(fits_dequantize, prepare_dequantize),
      KernelDef{.name = kernel_name<ToInt8, kIsa>(),
                .op = &kOpSchema<ToInt8>,
                .capability = kIsa,
                .layout = LayoutRule::kSame,
                .types = {.results = DType::kInt8},
                .fits = fits_to_int8,
                .prepare = prepare_to_int8,
                .run = run_to_int8},
      KernelDef{.name = kernel_name<"to_int8.channels", kIsa>(),
                .op = &kOpSchema<ToInt8>,
                .capability = kIsa,
                .layout = LayoutRule::kChannelsLast,
                .types = {.results = DType::kInt8},
                .fits = fits_scaled,
                .prepare = prepare_scaled,
                .run = run_scaled},
  };
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::quantize
