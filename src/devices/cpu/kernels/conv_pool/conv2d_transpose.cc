// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/bands.h"
#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/tile_cost.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"

/// Transposed convolution, channels-last, where filters do not overlap: each input pixel makes a block of output pixels
/// of its own. One product per row of the blocks, as adjacent output pixels are adjacent columns.
namespace coracle::internal::cpu::kernels::conv2d_transpose {
namespace {

ConvolutionGeometry geometry(const Conv2dTransposeFused& op, const ArgFacts& args) {
  return transposed_geometry(op, op.output_padding, {}, args.shape(0), args.shape(1), 2);
}

RejectionReason fits_any(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Conv2dTransposeFused*>(op_attributes);
  if (op.data_format == DataFormat::kNhwc) return "only NCHW";
  if (args.in(1).value == nullptr) return "the filter is not constant";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  const ConvolutionGeometry g = geometry(op, args);
  return epilogue_rejection(op, args, 2, convolution_result(g, op.data_format, 2), g.out_channels);
}

/// Columns up to which all rows of the filter are one product, whose results are then distributed: alone, each row
/// would leave most lanes of a vector empty.
constexpr int64_t kFewColumns = 16;

struct State {
  GemmCall call;              ///< one input row times one row of the filter, or times all of them
  bool joined = false;        ///< all of them
  int64_t slots = 1;          ///< threads that have a buffer for a joined product
  int64_t in_rows = 0;        ///< of all images
  int64_t in_floats = 0;      ///< of an input row
  int64_t block_rows = 0;     ///< output rows per input row
  int64_t out_floats = 0;     ///< of an output row
  int64_t packed_floats = 0;  ///< of one product
  int64_t panels = 0;
  int64_t channels = 0;       ///< of a result pixel
  int64_t block_columns = 0;  ///< result pixels that one input pixel makes in a product
  EpilogueProgram epilogue;
};

/// Multiplications that are worth a thread.
constexpr int64_t kGrainMultiplications = 256 << 10;

/// Of an input row, and one, so that it divides.
int64_t multiplications(const State& s) { return s.out_floats * s.block_rows * s.call.shape.depth + 1; }

/// Those of one row of the image with each row of the filter.
TileProduct tile_product(const ConvolutionGeometry& g) {
  return {.rows = g.width().in,
          .shape = {1, g.in_channels, g.width().kernel * g.out_channels},
          .count = static_cast<double>(g.height().in * g.height().kernel),
          .filters = static_cast<double>(g.height().kernel)};
}

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  if (const RejectionReason rejection = fits_any(op_attributes, args)) return rejection;
  const ConvolutionGeometry g = geometry(*static_cast<const Conv2dTransposeFused*>(op_attributes), args);
  if (g.groups != 1) return "only one group";
  for (const WindowAxis* a : {&g.height(), &g.width()}) {
    if (a->kernel != a->stride || a->dilation != 1 || a->pad_before != 0 || a->out != a->in * a->stride) {
      return "filters overlap or are cut";
    }
  }
  const TileProduct product = tile_product(g);
  return mode_rejection(kernel_mode(args.kernel()), product.rows, product.shape);
}

std::optional<CostEstimate> cost(const void* op_attributes, const ArgFacts& args) {
  return tile_cost(kernel_mode(args.kernel()),
                   tile_product(geometry(*static_cast<const Conv2dTransposeFused*>(op_attributes), args)));
}

/// The rows of the filter as packed matrices, `product_rows` of them in each.
struct BlocksForm {
  static constexpr std::string_view kLayout = "conv2d_transpose.blocks.v1";

  GemmChoice choice;
  int64_t depth = 0;
  int64_t kernel_h = 0;
  int64_t kernel_w = 0;
  int64_t channels = 0;
  int64_t product_rows = 1;

  GemmShape shape() const { return {1, depth, product_rows * kernel_w * channels}; }
  int64_t products() const { return kernel_h / product_rows; }
  size_t bytes() const {
    return static_cast<size_t>(choice.table().packed_floats(shape()) * products()) * sizeof(float);
  }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    const GemmFunctions& gemm = choice.table();
    const auto* filter = constants[0]->data<float>();
    const int64_t taps = kernel_h * kernel_w;
    std::vector<float> ordered;  // [depth, kernel_h, kernel_w, channels]
    ordered.reserve(static_cast<size_t>(depth * taps * channels));
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        for (int64_t c = 0; c < channels; ++c) ordered.push_back(filter[(k * channels + c) * taps + tap]);
      }
    }
    for (int64_t i = 0; i < products(); ++i) {
      const GemmSource source{.data = ordered.data() + i * shape().columns,
                              .tap_offsets = nullptr,
                              .inner = depth,
                              .join_stride = 0,
                              .inner_stride = taps * channels,
                              .column_stride = 1};
      float* packed = reinterpret_cast<float*>(to) + i * gemm.packed_floats(shape());
      gemm.pack(shape(), source, packed, 0, gemm.panels(shape().columns));
    }
  }
};

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dTransposeFused*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(args.kernel());
  const ConvolutionGeometry g = geometry(op, args);
  const int64_t depth = g.in_channels;
  const int64_t kernel_h = g.height().kernel;
  const int64_t kernel_w = g.width().kernel;
  const int64_t columns = kernel_w * g.out_channels;
  const bool whole_tensors = EpilogueProgram(op, columns).whole_tensor(2) >= 0;
  State s;
  s.joined = kernel_h * columns <= kFewColumns && !whole_tensors;
  const int64_t product_rows = s.joined ? kernel_h : 1;  // of the filter
  s.call.shape = {1, depth, product_rows * columns};
  s.call.a_stride = depth;
  s.call.c_stride = s.call.shape.columns;
  s.in_rows = g.batch * g.height().in;
  s.in_floats = g.width().in * depth;
  s.block_rows = kernel_h;
  s.out_floats = g.width().in * columns;
  s.packed_floats = gemm.packed_floats(s.call.shape);
  s.panels = gemm.panels(s.call.shape.columns);
  s.channels = g.out_channels;
  s.block_columns = product_rows * kernel_w;
  s.slots = std::clamp<int64_t>(s.in_rows * multiplications(s) / kGrainMultiplications, 1,
                                std::min<int64_t>(context.pool->threads(), s.in_rows));
  s.epilogue = EpilogueProgram(op, columns);

  // Per-channel tensors, repeated for the pixels of a product; joined products.
  const Size products = s.joined ? Size(s.slots) * g.width().in * s.call.shape.columns : 0;
  const Size floats = Size(s.call.shape.columns) * kMaxEpilogueOps + products;
  Prepared p = prepared(s, floats * sizeof(float));
  p.weights = context.pack(BlocksForm{.choice = GemmChoice(args.kernel()),
                                      .depth = depth,
                                      .kernel_h = kernel_h,
                                      .kernel_w = kernel_w,
                                      .channels = g.out_channels,
                                      .product_rows = product_rows},
                           args.index(1));
  return p;
}

/// Input rows [begin, end), by way of `results`, which has a product's.
void run_joined(const KernelCall& call, const GemmFunctions& gemm, const State& s, GemmCall product, const float* input,
                int64_t begin, int64_t end, float* results, float* output) {
  const int64_t pixels = s.in_floats / s.call.shape.depth;
  const int64_t columns = s.call.shape.columns / s.block_rows;
  product.c = results;
  for (int64_t row = begin; row < end && !call.over(); ++row) {
    product.a = input + row * s.in_floats;
    gemm.run(product, 0, pixels, 0, s.panels);
    for (int64_t y = 0; y < s.block_rows; ++y) {
      const float* from = results + y * columns;
      float* to = output + (row * s.block_rows + y) * s.out_floats;
      for (int64_t x = 0; x < pixels; ++x, from += s.call.shape.columns, to += columns) {
        for (int64_t i = 0; i < columns; ++i) to[i] = from[i];
      }
    }
  }
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int count = s.epilogue.count();
  EpilogueOp ops[kMaxEpilogueOps];
  s.epilogue.bind(call, 2, ops);
  auto* repeated = static_cast<float*>(call.workspace);
  for (EpilogueOp& op : std::span(ops, static_cast<size_t>(count))) {
    if (op.step.kind != EpilogueKind::kAddChannel && op.step.kind != EpilogueKind::kMultiplyChannel) continue;
    const float* from = op.tensor;
    op.tensor = repeated;
    for (int64_t i = 0; i < s.block_columns; ++i) repeated = std::copy(from, from + s.channels, repeated);
  }
  const auto* input = call.in[0].as<const float>();
  const auto* packed = static_cast<const float*>(call.weights);
  auto* output = call.out[0].as<float>();
  if (s.joined) {
    GemmCall product = s.call;
    product.packed = packed;
    product.epilogue = ops;
    product.epilogue_size = count;
    float* products = static_cast<float*>(call.workspace) + s.call.shape.columns * kMaxEpilogueOps;
    for_bands(*call.pool, s.in_rows, s.slots, [&](int64_t slot, int64_t begin, int64_t end) {
      run_joined(call, gemm_table(*call.kernel), s, product, input, begin, end,
                 products + slot * s.in_floats / s.call.shape.depth * s.call.shape.columns, output);
    });
    return;
  }
  call.pool->parallel_for(s.in_rows, kGrainMultiplications / multiplications(s) + 1, [&](int64_t begin, int64_t end) {
    EpilogueOp row_ops[kMaxEpilogueOps];
    std::copy(ops, ops + count, row_ops);
    GemmCall product = s.call;
    product.epilogue = row_ops;
    product.epilogue_size = count;
    for (int64_t row = begin; row < end; ++row) {
      product.a = input + row * s.in_floats;
      for (int64_t y = 0; y < s.block_rows; ++y) {
        const int64_t at = (row * s.block_rows + y) * s.out_floats;
        product.c = output + at;
        product.packed = packed + y * s.packed_floats;
        for (int i = 0; i < count; ++i) {
          const bool pixelwise =
              ops[i].step.kind == EpilogueKind::kAddTensor || ops[i].step.kind == EpilogueKind::kMultiplyTensor;
          if (pixelwise) row_ops[i].tensor = ops[i].tensor + at;
        }
        gemm_table(*call.kernel).run(product, 0, s.in_floats / s.call.shape.depth, 0, s.panels);
      }
    }
  });
}

template <Isa I, ComputeMode P>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<"conv2d_transpose.blocks", I, P>(),
                .op = &kOpSchema<Conv2dTransposeFused>,
                .capability = I,
                .layout = LayoutRule::kChannelsLast,
                .mode = P,
                .rank = 1,
                .fits = fits,
                .estimate = P == ComputeMode::kFloat32 ? nullptr : cost,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels = kernels_of_all_products<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::conv2d_transpose
