// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "devices/cpu/bands.h"
#include "devices/cpu/isa/quantized_depthwise.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/processor.h"
#include "devices/cpu/quantized_plan.h"
#include "devices/cpu/quantized_winograd_plan.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"

/// Products and convolutions of int8: of all channels as one product or by Winograd's algorithm, or one filter per
/// channel.
namespace coracle::internal::cpu::kernels::quantized_products {
namespace {

RejectionReason fits_linear(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerLinear*>(op_attributes);
  const Shape& w = args.shape(1);
  if (w.rank() != 2) return "several matrices";
  const Shape product = matrix_product_shape(args.shape(0), w, false, op.transpose_w);
  return quantized_rejection(op, args, product, product.back(), w[op.transpose_w ? 1 : 0]);
}

[[gnu::cold]] Prepared prepare_linear(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerLinear*>(op_attributes);
  const Shape& w = args.shape(1);
  auto plan = std::make_shared<QuantizedGemmPlan>();
  plan->functions = &machine_quantized_gemm(kernel_isa(args.kernel()));
  const int64_t depth = w[op.transpose_w ? 1 : 0];
  const int64_t columns = w[op.transpose_w ? 0 : 1];
  plan->call.depth = depth;
  plan->call.columns = columns;
  plan->call.a_stride = depth;
  plan->rows = args.shape(0).count() / depth;
  plan->result_stride = columns;
  plan->epilogue = EpilogueProgram(op, columns);
  QuantizedGemmForm form;
  form.depth = depth;
  form.inner_stride = op.transpose_w ? 1 : columns;
  form.column_stride = op.transpose_w ? depth : 1;
  Prepared prepared = prepared_product(*plan, form, args, context);
  prepared.state = std::move(plan);
  return prepared;
}

/// Why filters are not run one by one.
RejectionReason depthwise_rejection(const ConvolutionGeometry& g) {
  if (g.groups != g.in_channels || g.out_channels != g.in_channels) return "not one filter per channel";
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const bool wide = w.dilation > kWidestQuantizedStrip / std::max<int64_t>(w.kernel, 1) ||
                    w.stride > kWidestQuantizedStrip / kQuantizedStrip ||
                    h.stride > kWidestQuantizedStrip / kQuantizedStrip;
  return h.kernel * w.kernel > kMostQuantizedTaps || wide ? "the filter is too large" : nullptr;
}

RejectionReason fits_conv2d(const IntegerConv2d& op, const ArgFacts& args, bool depthwise) {
  if (op.transposed) return "transposed";
  if (op.data_format == DataFormat::kNhwc) return "only NCHW";
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const RejectionReason rejection = depthwise_rejection(g);
  if (depthwise && rejection != nullptr) return rejection;
  if (!depthwise && g.groups > 1 && rejection == nullptr) return "one filter per channel";
  return quantized_rejection(op, args, convolution_result(g, op.data_format, 2), g.out_channels,
                             g.height().kernel * g.width().kernel * g.in_channels / g.groups);
}

template <bool kDepthwise>
RejectionReason fits_conv2d(const void* op_attributes, const ArgFacts& args) {
  return fits_conv2d(*static_cast<const IntegerConv2d*>(op_attributes), args, kDepthwise);
}

RejectionReason fits_winograd(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerConv2d*>(op_attributes);
  if (op.groups != 1) return "only one group";
  if (const RejectionReason rejection = fits_conv2d(op, args, false)) return rejection;
  return quantized_winograd_rejection(op, args);
}

Prepared prepare_winograd(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  return prepare_quantized_winograd(*static_cast<const IntegerConv2d*>(op_attributes), args, context);
}

/// How many groups are one product, with zeros between their weights: as many as have sixteen columns, if these are one
/// panel.
int64_t joined_groups(const ConvolutionGeometry& g, int64_t lanes) {
  const int64_t columns = std::min<int64_t>(2 * lanes, 16);
  int64_t count = std::clamp<int64_t>(columns * g.groups / g.out_channels, 1, g.groups);
  while (g.groups % count != 0) --count;
  return count;
}

PaddedImage padded_image(const ConvolutionGeometry& g) {
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const auto size = [](const WindowAxis& a) { return (a.out - 1) * a.stride + (a.kernel - 1) * a.dilation + 1; };
  return {.batch = g.batch,
          .in_h = h.in,
          .in_w = w.in,
          .top = h.pad_before,
          .left = w.pad_before,
          .height = size(h),
          .width = size(w),
          .channels = g.in_channels,
          .out_h = h.out,
          .out_w = w.out,
          .stride_y = h.stride,
          .stride_x = w.stride};
}

/// Whether an image is read in place, with what is around it: pixels of few numbers, of which a tile's are adjacent.
bool reads_in_place(const ConvolutionGeometry& g, const QuantizedGemmFunctions& functions) {
  constexpr int64_t kMostAround = 64;
  constexpr int64_t kMostNumbers = int64_t{1} << 30;  // that taps may be apart
  const PaddedImage image = padded_image(g);
  const bool fills_tiles =
      image.out_w >= 2 * functions.tile_rows || functions.multiplied_rows(image.out_w) * 9 <= image.out_w * 10;
  // Each pixel is copied once for all taps that meet it.
  const bool meets_often = g.height().kernel * g.width().kernel >= 2 * g.height().stride * g.width().stride;
  return functions.pad != nullptr && meets_often && g.groups == 1 && g.in_channels <= functions.most_channels &&
         fills_tiles && image.height <= 2 * image.in_h + kMostAround && image.width <= 2 * image.in_w + kMostAround &&
         image.height * image.width <= kMostNumbers / g.in_channels;
}

[[gnu::cold]] Prepared prepare_conv2d(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerConv2d*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  auto plan = std::make_shared<QuantizedGemmPlan>();
  plan->functions = &machine_quantized_gemm(kernel_isa(args.kernel()));
  const int64_t joined = joined_groups(g, plan->functions->lanes);
  const int64_t products = g.groups / joined;
  // The taps of a filter row are adjacent pixels, once the groups are images of their own.
  const int64_t join = w.dilation == 1 ? w.kernel : 1;
  const bool pointwise = is_pointwise(g);
  const int64_t in_channels = g.in_channels / products;
  const int64_t image_bytes = g.batch * h.in * w.in * in_channels;
  plan->set_taps(g, join);
  plan->call.taps = static_cast<int64_t>(plan->tap_y.size());
  plan->call.depth = join * in_channels;
  plan->call.columns = g.out_channels / products;
  plan->rows = g.batch * h.out * w.out;
  plan->result_stride = g.out_channels;
  plan->epilogue = EpilogueProgram(op, g.out_channels);
  plan->parts.clear();
  for (int64_t p = 0; p < products; ++p) {
    const int64_t first = p * plan->call.columns;
    plan->parts.push_back(
        {.a = p * (pointwise ? in_channels : image_bytes), .matrix = p, .result = first, .channel = first});
  }
  const bool in_place = !pointwise && reads_in_place(g, *plan->functions);
  if (pointwise) {
    plan->call.a_stride = g.in_channels;
  } else if (in_place) {
    plan->padded = padded_image(g);
    for (int64_t ky = 0; ky < h.kernel; ++ky) {
      for (int64_t kx = 0; kx < w.kernel; kx += join) {
        const int64_t pixel = ky * h.dilation * plan->padded.width + kx * w.dilation;
        plan->tap_from.push_back(static_cast<int32_t>(pixel * g.in_channels));
      }
    }
    plan->padded.taps = plan->tap_from.data();
  } else {
    plan->set_image(g, in_channels);
  }
  const int64_t area = h.kernel * w.kernel;
  QuantizedGemmForm form;
  form.matrices = products;
  form.blocks = joined;
  form.taps = area;
  form.depth = g.in_channels / g.groups;
  form.tap_stride = 1;
  form.inner_stride = area;
  form.column_stride = form.depth * area;
  form.block_stride = g.out_channels / g.groups * form.column_stride;
  form.matrix_stride = joined * form.block_stride;
  if (in_place) {
    form.joined_taps = join;
    form.joined_depth = (plan->call.depth + 3) / 4 * 4;
  }
  Prepared prepared = prepared_product(*plan, form, args, context);
  if (products > 1 && !pointwise) prepared.workspace += bytes_of<int8_t>(Size(products) * image_bytes);
  prepared.state = std::move(plan);
  return prepared;
}

template <class Op>
void run_product(KernelCall& call) noexcept {
  const auto& plan = state_of<QuantizedGemmPlan>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  plan.run(call.in[0].as<const int8_t>(), call.weights, call.workspace,
           quantized_result(call.attributes<Op>(), plan.epilogue, call, ops, plan.result_stride), *call.pool);
}

/// Images whose pixels have so many numbers of each product, one number behind the other in `from`, become one image
/// for each product.
void separate(const int8_t* from, int64_t pixels, int64_t products, int64_t width, int8_t* to, ThreadPool& pool) {
  const auto copy_all = [&](auto count, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t p = 0; p < products; ++p) {
        std::copy_n(from + (i * products + p) * width, count, to + (p * pixels + i) * width);
      }
    }
  };
  pool.parallel_for(pixels, (64 << 10) / (products * width) + 1, [&](int64_t begin, int64_t end) {
    switch (width) {
      case 4: return copy_all(std::integral_constant<int64_t, 4>(), begin, end);
      case 8: return copy_all(std::integral_constant<int64_t, 8>(), begin, end);
      case 16: return copy_all(std::integral_constant<int64_t, 16>(), begin, end);
      default: return copy_all(width, begin, end);
    }
  });
}

void run_conv2d(KernelCall& call) noexcept {
  const auto& plan = state_of<QuantizedGemmPlan>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  const QuantizedResult result =
      quantized_result(call.attributes<IntegerConv2d>(), plan.epilogue, call, ops, plan.result_stride);
  const auto* a = call.in[0].as<const int8_t>();
  const auto products = static_cast<int64_t>(plan.parts.size());
  if (products > 1 && plan.has_image) {
    auto* images = static_cast<int8_t*>(call.workspace) + plan.slots * plan.scratch_bytes;
    const int64_t width = plan.image.in_channels;
    separate(a, plan.parts[1].a / width, products, width, images, *call.pool);
    a = images;
  }
  plan.run(a, call.weights, call.workspace, result, *call.pool);
}

/// Filters of [channel][tap] as isa/quantized_depthwise.h has them.
struct QuantizedDepthwiseForm {
  static constexpr std::string_view kLayout = "integer.depthwise.v3";

  int64_t kernel_h = 0;
  int64_t kernel_w = 0;
  int64_t channels = 0;
  int64_t lanes = 0;
  int64_t group_rows = 0;

  QuantizedDepthwiseFunctions functions() const { return {.lanes = lanes, .group_rows = group_rows}; }
  int64_t vectors() const { return (channels + lanes - 1) / lanes; }
  size_t bytes() const {
    const auto of_vector = [&](int64_t alignment) { return functions().filter_bytes(kernel_h, kernel_w, alignment); };
    return bytes_of<char>(Size(vectors()) * (of_vector(0) + (functions().alignments() == 2 ? of_vector(1) : 0)));
  }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    const int8_t* from = constants[0]->data<int8_t>();
    const int64_t start = group_rows == 4 ? lanes * 4 : 0;  // bytes of where the sums start
    const int64_t lane_bytes = functions().lane_bytes();
    for (int64_t alignment = 0; alignment < functions().alignments(); ++alignment) {
      const int64_t of_vector = functions().filter_bytes(kernel_h, kernel_w, alignment);
      for (int64_t c = 0; c < channels; ++c) {
        std::byte* const vector = to + c / lanes * of_vector;
        int32_t sum = 0;
        for (int64_t ky = 0; ky < kernel_h; ++ky) {
          const int64_t row = ky + alignment;
          for (int64_t kx = 0; kx < kernel_w; ++kx) {
            const int8_t w = from[(c * kernel_h + ky) * kernel_w + kx];
            sum += w;
            std::byte* const at =
                vector + start + ((row / group_rows * kernel_w + kx) * lanes + c % lanes) * lane_bytes;
            const auto wide = static_cast<int16_t>(int32_t{w});
            if (group_rows == 4) {
              std::memcpy(at + row % group_rows, &w, sizeof(w));
            } else {
              std::memcpy(at + row % group_rows * 2, &wide, sizeof(wide));
            }
          }
        }
        const int32_t initial = -128 * sum;  // for images whose numbers have 128 added
        if (start != 0) std::memcpy(vector + c % lanes * 4, &initial, sizeof(initial));
      }
      to += vectors() * of_vector;
    }
  }
};

struct DepthwiseState {
  const QuantizedDepthwiseFunctions* functions = nullptr;
  QuantizedDepthwiseCall call;
  EpilogueProgram epilogue;
  int64_t rows = 0;
  int64_t slots = 1;
  int64_t scratch_bytes = 0;  ///< of a slot
};

/// The table of an instruction set, or of sums of four products beside it, where this machine has them.
const QuantizedDepthwiseFunctions& machine_quantized_depthwise(Isa isa) {
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (isa == Isa::kAvx512 && processor().has(Capability::kAvx512Vnni)) return avx512_vnni::quantized_depthwise;
#endif
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX2)
  if (isa == Isa::kAvx2 && processor().has(Capability::kAvxVnni)) return avx_vnni::quantized_depthwise;
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
  if (isa == Isa::kNeon && processor().has(Capability::kNeonDotProducts)) return neon_dotprod::quantized_depthwise;
#endif
  return quantized_depthwise_table(isa);
}

[[gnu::cold]] Prepared prepare_depthwise(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  constexpr int64_t kGrain = 128 << 10;    // products
  constexpr int64_t kFinishedResult = 16;  // what finishing a result takes, in products
  const auto& op = *static_cast<const IntegerConv2d*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  auto state = std::make_shared<DepthwiseState>();
  state->functions = &machine_quantized_depthwise(kernel_isa(args.kernel()));
  state->call = {.channels = g.in_channels,
                 .in_h = h.in,
                 .in_w = w.in,
                 .out_h = h.out,
                 .out_w = w.out,
                 .kernel_h = h.kernel,
                 .kernel_w = w.kernel,
                 .stride_y = h.stride,
                 .stride_x = w.stride,
                 .dilation_y = h.dilation,
                 .dilation_x = w.dilation,
                 .pad_top = h.pad_before,
                 .pad_left = w.pad_before};
  state->epilogue = EpilogueProgram(op, g.in_channels);
  state->rows = g.batch * h.out;
  const int64_t taps = h.kernel * w.kernel;
  const int64_t threads = context.pool == nullptr ? 1 : context.pool->threads();
  state->slots =
      std::clamp<int64_t>(state->rows * w.out * g.in_channels * (taps + kFinishedResult) / kGrain, 1, threads);
  state->slots = std::min(state->slots, state->rows);
  state->scratch_bytes = state->functions->scratch_bytes(state->call);
  Prepared prepared;
  prepared.weights = context.pack(QuantizedDepthwiseForm{.kernel_h = h.kernel,
                                                         .kernel_w = w.kernel,
                                                         .channels = g.in_channels,
                                                         .lanes = state->functions->lanes,
                                                         .group_rows = state->functions->group_rows},
                                  args.index(1));
  prepared.workspace = bytes_of<char>(Size(state->slots) * state->scratch_bytes);
  prepared.state_bytes = sizeof(DepthwiseState);
  prepared.state = std::move(state);
  return prepared;
}

void run_depthwise(KernelCall& call) noexcept {
  const auto& state = state_of<DepthwiseState>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  QuantizedDepthwiseCall whole = state.call;
  whole.input = call.in[0].as<const int8_t>();
  whole.filter = call.weights;
  whole.result = quantized_result(call.attributes<IntegerConv2d>(), state.epilogue, call, ops, whole.channels);
  auto* const scratch = static_cast<char*>(call.workspace);
  for_bands(*call.pool, state.rows, state.slots, [&](int64_t slot, int64_t begin, int64_t end) {
    QuantizedDepthwiseCall part = whole;
    part.scratch = scratch + slot * state.scratch_bytes;
    state.functions->run(part, begin, end);
  });
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 4> kKernels = {
      KernelDef{.name = kernel_name<IntegerLinear, kIsa>(),
                .op = &kOpSchema<IntegerLinear>,
                .capability = kIsa,
                .types = kQuantizedRule,
                .fits = fits_linear,
                .prepare = prepare_linear,
                .run = run_product<IntegerLinear>},
      KernelDef{.name = kernel_name<IntegerConv2d, kIsa>(),
                .op = &kOpSchema<IntegerConv2d>,
                .capability = kIsa,
                .layout = LayoutRule::kChannelsLast,
                .types = kQuantizedRule,
                .fits = fits_conv2d<false>,
                .prepare = prepare_conv2d,
                .run = run_conv2d},
      KernelDef{.name = kernel_name<"integer_conv2d.winograd", kIsa>(),
                .op = &kOpSchema<IntegerConv2d>,
                .capability = kIsa,
                .layout = LayoutRule::kChannelsLast,
                .types = kQuantizedRule,
                .rank = 1,
                .fits = fits_winograd,
                .prepare = prepare_winograd,
                .run = run_quantized_winograd},
      KernelDef{.name = kernel_name<"integer_conv2d.depthwise", kIsa>(),
                .op = &kOpSchema<IntegerConv2d>,
                .capability = kIsa,
                .layout = LayoutRule::kChannelsLast,
                .types = kQuantizedRule,
                .rank = -1,
                .fits = fits_conv2d<true>,
                .prepare = prepare_depthwise,
                .run = run_depthwise}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::quantized_products
