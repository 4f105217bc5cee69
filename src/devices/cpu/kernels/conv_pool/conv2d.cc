// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/narrow_gemm.h"
#include "devices/cpu/pixel_line.h"
#include "devices/cpu/winograd_parts.h"
#include "devices/cpu/winograd_plan.h"
#include "ops/conv_pool/conv2d_fused.h"

/// Convolution as a product of gathered pixels with packed weights, channels-last, or by Winograd's algorithm.
namespace coracle::internal::cpu::kernels::conv2d {
namespace {

struct State {
  const GemmFunctions* gemm = nullptr;
  GemmPlan plan;
  int64_t in_start = 0;
  int64_t out_start = 0;
  EpilogueProgram epilogue;
};

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  if (op.data_format == DataFormat::kNhwc) return "only NCHW";
  if (args.in(1).value == nullptr) return "the filter is not constant";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  const int64_t channels = args.shape(0)[1];
  if (op.groups > 1 && op.groups == channels && args.out().shape[1] == channels) return "one filter per channel";
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  return epilogue_rejection(op, args, 2, convolution_result(g, op.data_format, 2), g.out_channels);
}

/// True if the taps of a filter row are joined (narrow inputs).
bool joins_taps(const ConvolutionGeometry& g) {
  const WindowAxis& w = g.width();
  return g.groups == 1 && w.kernel > 1 && w.dilation == 1 && w.kernel * g.in_channels <= kMaxJoinedDepth &&
         g.height().kernel <= kMaxJoinedTaps;
}

/// One group as a product.
GemmShape product_shape(const ConvolutionGeometry& g) {
  const int64_t depth = g.in_channels / g.groups;
  const int64_t columns = g.out_channels / g.groups;
  const int64_t width = g.width().kernel;
  if (joins_taps(g)) return {g.height().kernel, depth * width, columns};
  return {g.height().kernel * width, depth, columns};
}

/// Fills the plan's taps.
void set_taps(const ConvolutionGeometry& g, GemmPlan& plan) {
  plan.set_taps(g, joins_taps(g) ? g.width().kernel : 1);
  plan.call.shape = product_shape(g);
}

TileProduct tile_product(const ConvolutionGeometry& g) {
  return {.rows = g.height().out * g.width().out, .shape = product_shape(g), .count = static_cast<double>(g.groups)};
}

std::optional<CostEstimate> cost_of_indirect(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  return tile_cost(kernel_mode(args.kernel()), beside_winograd(tile_product(g), op, args));
}

/// Than products of pairs, which take half the time of multiply-adds and round their operands.
bool is_faster_by_winograd(const Conv2dFused& op, const ArgFacts& args) {
  constexpr double kShareOfPairs = 0.45;
  return winograd_rejection(4, op, args) == nullptr ||
         (winograd_parts_rejection(op, args) == nullptr && winograd_parts_share(op, args) <= kShareOfPairs);
}

RejectionReason fits_indirect(const void* op_attributes, const ArgFacts& args) {
  if (const RejectionReason rejection = fits(op_attributes, args)) return rejection;
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const TileProduct product = tile_product(g);
  if (const RejectionReason rejection = mode_rejection(kernel_mode(args.kernel()), product.rows, product.shape))
    return rejection;
  if (is_by_dots(kernel_mode(args.kernel())) && is_faster_by_winograd(op, args))
    return "Winograd's algorithm is faster";
  if (joins_taps(g) && args.view_in(0) != nullptr) return "joined taps lie apart";
  return pixels_rejection(args);
}

/// The taps' lists stay where they are when the plan is moved.
GemmPlan plan_of(const ConvolutionGeometry& g, const GemmFunctions& gemm, const PixelLine& in, const PixelLine& out) {
  GemmPlan plan;
  set_taps(g, plan);
  const int64_t columns = g.out_channels / g.groups;
  plan.call.groups = g.groups;
  plan.call.a_group_stride = g.in_channels / g.groups;
  plan.call.c_group_stride = columns;
  plan.call.c_stride = out.stride;
  plan.rows = g.batch * g.height().out * g.width().out;
  plan.panels = g.groups * gemm.panels(columns);
  if (is_pointwise(g)) {
    plan.call.a_stride = in.stride;
    return plan;
  }
  plan.set_image(g, in.stride);
  plan.zeros.assign(static_cast<size_t>(plan.image.join * g.in_channels), 0.0F);
  return plan;
}

GemmForm form_of(const ConvolutionGeometry& g, const KernelDef& kernel) {
  const GemmShape shape = product_shape(g);
  const int64_t depth = g.in_channels / g.groups;
  const int64_t area = g.height().kernel * g.width().kernel;
  GemmForm form{GemmChoice(kernel)};
  form.taps = shape.taps;
  form.depth = shape.depth;
  form.columns = shape.columns;
  form.groups = g.groups;
  form.inner = depth;
  form.group_stride = shape.columns * depth * area;
  form.tap_stride = joins_taps(g) ? g.width().kernel : 1;
  form.join_stride = 1;
  form.inner_stride = area;
  form.column_stride = depth * area;
  return form;
}

size_t extra_bytes(const GemmPlan& plan) {
  return plan.zeros.size() * sizeof(float) + plan.tap_y.size() * 2 * sizeof(int32_t);
}

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const GemmFunctions& gemm = gemm_table(args.kernel());
  auto state = std::make_shared<State>();
  state->gemm = &gemm;
  const PixelLine in = *pixel_line(args.in(0), args.view_in(0));
  const PixelLine out = *pixel_line(args.out(), args.view_out());
  state->in_start = in.start;
  state->out_start = out.start;
  state->plan = plan_of(g, gemm, in, out);
  state->epilogue = EpilogueProgram(op, g.out_channels);

  Prepared prepared;
  prepared.weights = context.pack(form_of(g, args.kernel()), args.index(1));
  prepared.state_bytes = sizeof(State) + extra_bytes(state->plan);
  prepared.state = state;
  prepared.in_place = residual_in_place(gemm, state->plan, state->epilogue);
  // A few rows at a time, tiles of weights are loaded and rows split again for each of them: vectors are faster.
  const ComputeMode mode = kernel_mode(args.kernel());
  if (mode != ComputeMode::kFloat32 && !is_by_dots(mode)) return prepared;
  const WindowAxis& h = g.height();
  prepared.rows = {h.stride, h.pad_before, (h.kernel - 1) * h.dilation + 1};
  return prepared;
}

/// Of a vector of eight, two of which are issued in a cycle.
constexpr double kCyclesOfMultiplyAdd = 1.0 / 16;
/// Of all cycles of a product that widens panels: 1.12 to 1.6 of the others', measured on whole models.
constexpr double kShareOfWidening = 1.25;

struct NarrowState {
  NarrowPlan plan;
  int64_t in_start = 0;
  int64_t out_start = 0;
  EpilogueProgram epilogue;
};

RejectionReason fits_narrow(const void* op_attributes, const ArgFacts& args) {
  if (const RejectionReason rejection = narrow_rejection(static_cast<const Conv2dFused*>(op_attributes)->groups))
    return rejection;
  return fits_indirect(op_attributes, args);
}

/// A filter of 16 bits that many pixels share is rather packed in float32, once: then nothing widens it in each run,
/// and there is Winograd's algorithm. How an item is computed must not depend on how many there are.
std::optional<CostEstimate> cost_of_narrow(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const TileProduct product = tile_product(g);
  if (!kHalfTypes.has(args.in(1).dtype) || (is_pointwise(g) && product.rows <= kFewNarrowRows)) return std::nullopt;
  const GemmShape& shape = product.shape;
  const double cycles = static_cast<double>(product.rows) *
                        static_cast<double>(shape.taps * shape.depth * shape.columns) * kCyclesOfMultiplyAdd;
  return CostEstimate{.own = kShareOfWidening * cycles, .others = cycles};
}

/// The filter stays in 16 or 8 bits.
Prepared prepare_narrow(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const GemmFunctions& gemm = gemm_table(args.kernel());
  const PixelLine in = *pixel_line(args.in(0), args.view_in(0));
  const PixelLine out = *pixel_line(args.out(), args.view_out());
  const NarrowForm form(form_of(g, args.kernel()), args.in(1).dtype);
  NarrowState state{NarrowPlan(gemm, plan_of(g, gemm, in, out), form.layout()), in.start, out.start,
                    EpilogueProgram(op, g.out_channels)};
  const int in_place = residual_in_place(gemm, state.plan.plan, state.epilogue);
  const size_t workspace = state.plan.workspace(context.pool->threads());
  const size_t extra = extra_bytes(state.plan.plan);
  Prepared prepared = kernels::prepared(std::move(state), workspace, extra);
  prepared.weights = context.pack(form, args.index(1));
  prepared.in_place = in_place;
  return prepared;
}

void run_narrow(KernelCall& call) noexcept {
  const NarrowState& state = state_of<NarrowState>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  state.epilogue.bind(call, 2, ops);
  state.plan.run(call.in[0].as<const float>() + state.in_start, call.weights, call.out[0].as<float>() + state.out_start,
                 ops, state.epilogue.count(), call.workspace, *call.pool);
}

void run(KernelCall& call) noexcept {
  const State& state = state_of<State>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  state.epilogue.bind(call, 2, ops);
  run_gemm(*state.gemm, state.plan, call.in[0].as<const float>() + state.in_start,
           static_cast<const float*>(call.weights), call.out[0].as<float>() + state.out_start, ops,
           state.epilogue.count(), *call.pool);
}

void run_rows(const KernelCall& call, int64_t begin, int64_t end) noexcept {
  const State& state = state_of<State>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  state.epilogue.bind(call, 2, ops);
  const int64_t width = call.out[0].fact->shape[3];
  run_gemm_rows(*state.gemm, state.plan, call.in[0].as<const float>(), static_cast<const float*>(call.weights),
                call.out[0].as<float>(), ops, state.epilogue.count(), begin * width, end * width);
}

template <int kTile>
RejectionReason fits_winograd(const void* op_attributes, const ArgFacts& args) {
  // The transformations enlarge errors of single products.
  const ComputeMode mode = kernel_mode(args.kernel());
  if (mode == ComputeMode::kBf16x3 || mode == ComputeMode::kBf16)
    return "the products are not exact enough for Winograd";
  if (const RejectionReason rejection = fits(op_attributes, args)) return rejection;
  if (const RejectionReason rejection = pixels_rejection(args)) return rejection;
  return winograd_product_rejection(kTile, *static_cast<const Conv2dFused*>(op_attributes), args);
}

template <int kTile>
std::optional<CostEstimate> cost_of_winograd(const void* op_attributes, const ArgFacts& args) {
  return winograd_cost(kTile, *static_cast<const Conv2dFused*>(op_attributes), args);
}

template <int kTile>
Prepared prepare_winograd(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  return cpu::prepare_winograd(kTile, *static_cast<const Conv2dFused*>(op_attributes), args, context);
}

RejectionReason fits_winograd_parts(const void* op_attributes, const ArgFacts& args) {
  if (const RejectionReason rejection = fits(op_attributes, args)) return rejection;
  if (const RejectionReason rejection = pixels_rejection(args)) return rejection;
  return winograd_parts_rejection(*static_cast<const Conv2dFused*>(op_attributes), args);
}

/// Filters of more than 3x3 taps by multiply-adds.
template <Isa I>
struct PartsKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<"conv2d.winograd_parts", I>(),
                .op = &kOpSchema<Conv2dFused>,
                .capability = I,
                .layout = LayoutRule::kChannelsLast,
                .types = {.in = {{{1, kHalfTypes | DType::kFloat32}}}},
                .rank = 1,
                .strided = true,
                .multiplies = kPartsMultiplies,
                .fits = fits_winograd_parts,
                .prepare = prepare_winograd_parts,
                .run = run_winograd_parts}};
};

template <Isa I, ComputeMode P>
struct IsaKernels {
  static constexpr KernelDef make_kernel(const char* name, decltype(KernelDef::fits) fits,
                                         decltype(KernelDef::estimate) estimate, decltype(KernelDef::prepare) prepare,
                                         decltype(KernelDef::run) run, double multiplies = 1,
                                         decltype(KernelDef::run_rows) run_rows = nullptr) {
    return {.name = name,
            .op = &kOpSchema<Conv2dFused>,
            .capability = I,
            .layout = LayoutRule::kChannelsLast,
            .mode = P,
            .types = {.in = {{{1, kHalfTypes | DType::kFloat32}}}},
            .rank = 1,
            .strided = true,
            .multiplies = multiplies,
            .fits = fits,
            .estimate = P == ComputeMode::kFloat32 ? nullptr : estimate,
            .prepare = prepare,
            .run = run,
            .run_rows = run_rows};
  }
  static constexpr std::array<KernelDef, 3> kKernels = {
      make_kernel(kernel_name<"conv2d.winograd_4x4", I, P>(), fits_winograd<4>, cost_of_winograd<4>,
                  prepare_winograd<4>, run_winograd, winograd_multiplies(4)),
      make_kernel(kernel_name<"conv2d.winograd_2x2", I, P>(), fits_winograd<2>, cost_of_winograd<2>,
                  prepare_winograd<2>, run_winograd, winograd_multiplies(2)),
      make_kernel(kernel_name<"conv2d.indirect", I, P>(), fits_indirect, cost_of_indirect, prepare, run, 1, run_rows),
  };
};

template <Isa I>
struct NarrowKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<"conv2d.narrow", I>(),
                                                                  .op = &kOpSchema<Conv2dFused>,
                                                                  .capability = I,
                                                                  .layout = LayoutRule::kChannelsLast,
                                                                  .types = {.in = {{{1, kNarrowTypes}}}},
                                                                  .rank = 2,
                                                                  .strided = true,
                                                                  .fits = fits_narrow,
                                                                  .estimate = cost_of_narrow,
                                                                  .prepare = prepare_narrow,
                                                                  .run = run_narrow}};
};

constexpr auto kKernels = kernel_table_detail::join(
    kernels_of_each_isa<PartsKernels>(), kernels_of_all_products<IsaKernels>(), kernels_of_each_isa<NarrowKernels>());

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::conv2d
