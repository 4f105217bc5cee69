// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/kernels/rows.h"
#include "ops/conv2d_transpose_fused.h"

/// Transposed convolution, channels-last. Output pixels whose coordinates leave the same remainders by the strides form
/// one small convolution each ("phase"). Where filters do not overlap, each input pixel makes a block of output pixels
/// of its own: one product per row of the blocks, as adjacent output pixels are adjacent columns.
namespace coracle::cpu::kernels {
namespace {

struct State {
  std::vector<GemmPlan> phases;
  EpilogueProgram epilogue;
};

/// One axis of a phase: filter elements that reach it and where they read, relative to the phase's own index.
struct PhaseAxis {
  std::vector<int64_t> elements;
  std::vector<int32_t> offsets;
  int64_t out = 0;
};

PhaseAxis phase_axis(const WindowAxis& a, int64_t phase) {
  PhaseAxis p;
  for (int64_t k = 0; k < a.kernel; ++k) {
    const int64_t distance = phase + a.pad_before - k * a.dilation;
    if (distance % a.stride != 0) continue;
    p.elements.push_back(k);
    p.offsets.push_back(static_cast<int32_t>(distance / a.stride));
  }
  p.out = a.out > phase ? (a.out - phase + a.stride - 1) / a.stride : 0;
  return p;
}

ConvolutionGeometry geometry(const Conv2dTransposeFused& op, const ArgFacts& args) {
  return transposed_geometry(op, op.output_padding, {}, args.shape(0), args.shape(1), 2);
}

Misfit fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Conv2dTransposeFused*>(op_attributes);
  if (op.data_format == DataFormat::kNhwc) return "only NCHW";
  if (args.in(1).value == nullptr) return "the filter is not constant";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  const ConvolutionGeometry g = geometry(op, args);
  for (const WindowAxis* a : {&g.height(), &g.width()}) {
    // Phases without an element would leave their pixels unwritten.
    for (int64_t phase = 0; phase < a->stride; ++phase) {
      if (phase_axis(*a, phase).elements.empty()) return "some output pixels see no filter element";
    }
  }
  return epilogue_misfit(op, args, 2, convolution_result(g, op.data_format, 2), g.out_channels);
}

template <Products P>
Misfit fits_phases(const void* op_attributes, const ArgFacts& args) {
  if (const Misfit misfit = fits(op_attributes, args)) return misfit;
  if (P == Products::kFloat32) return nullptr;
  const ConvolutionGeometry g = geometry(*static_cast<const Conv2dTransposeFused*>(op_attributes), args);
  for (int64_t py = 0; py < g.height().stride; ++py) {
    const PhaseAxis y = phase_axis(g.height(), py);
    for (int64_t px = 0; px < g.width().stride; ++px) {
      const PhaseAxis x = phase_axis(g.width(), px);
      const GemmShape shape{static_cast<int64_t>(y.elements.size() * x.elements.size()), g.in_channels / g.groups,
                            g.out_channels / g.groups};
      if (const Misfit misfit = products_misfit(P, y.out * x.out, shape)) return misfit;
    }
  }
  return nullptr;
}

template <Isa I, Products P>
Prepared prepare_phases(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dTransposeFused*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(I, P);
  const ConvolutionGeometry g = geometry(op, args);
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const int64_t depth = g.in_channels / g.groups;
  const int64_t columns = g.out_channels / g.groups;
  const int64_t area = h.kernel * w.kernel;
  auto state = std::make_shared<State>();
  state->phases.resize(static_cast<size_t>(h.stride * w.stride));
  std::vector<std::vector<int64_t>> tap_offsets(state->phases.size());
  size_t packed_floats = 0;
  for (int64_t py = 0; py < h.stride; ++py) {
    const PhaseAxis y = phase_axis(h, py);
    for (int64_t px = 0; px < w.stride; ++px) {
      const PhaseAxis x = phase_axis(w, px);
      const auto index = static_cast<size_t>(py * w.stride + px);
      GemmPlan& plan = state->phases[index];
      for (size_t i = 0; i < y.elements.size(); ++i) {
        for (size_t j = 0; j < x.elements.size(); ++j) {
          plan.tap_y.push_back(y.offsets[i]);
          plan.tap_x.push_back(x.offsets[j]);
          tap_offsets[index].push_back(y.elements[i] * w.kernel + x.elements[j]);
        }
      }
      plan.call.shape = {static_cast<int64_t>(plan.tap_y.size()), depth, columns};
      plan.call.groups = g.groups;
      plan.call.a_group_stride = depth;
      plan.call.c_group_stride = columns;
      plan.call.c_stride = g.out_channels;
      plan.rows = g.batch * y.out * x.out;
      plan.panels = g.groups * gemm.panels(columns);
      plan.packed_offset = packed_floats;
      packed_floats += static_cast<size_t>(gemm.packed_floats(plan.call.shape) * g.groups);
      plan.has_image = true;
      plan.zeros.assign(static_cast<size_t>(depth), 0.0F);
      GemmImage& image = plan.image;
      image.in_h = h.in;
      image.in_w = w.in;
      image.in_channels = g.in_channels;
      image.out_h = y.out;
      image.out_w = x.out;
      image.tap_y = plan.tap_y.data();
      image.tap_x = plan.tap_x.data();
      image.out_first = py * w.out + px;
      image.out_batch = h.out * w.out;
      image.out_row = h.stride * w.out;
      image.out_column = w.stride;
    }
  }
  state->epilogue = EpilogueProgram(op, g.out_channels);

  Prepared prepared;
  prepared.weights = context.shared_weights("packed", [&]() -> std::shared_ptr<const void> {
    std::shared_ptr<float> packed = aligned_floats(static_cast<int64_t>(packed_floats), context.memory);
    const auto* filter = args.in(1).value->data<float>();
    for (size_t p = 0; p < state->phases.size(); ++p) {
      const GemmPlan& plan = state->phases[p];
      const int64_t size = gemm.packed_floats(plan.call.shape);
      for (int64_t group = 0; group < g.groups; ++group) {
        const GemmSource source{.data = filter + group * depth * columns * area,
                                .tap_offsets = tap_offsets[p].data(),
                                .inner = depth,
                                .join_stride = 0,
                                .inner_stride = columns * area,
                                .column_stride = area};
        gemm.pack(plan.call.shape, source, packed.get() + plan.packed_offset + static_cast<size_t>(group * size), 0,
                  gemm.panels(columns));
      }
    }
    return packed;
  });
  prepared.state_bytes = sizeof(State) + state->phases.size() * (sizeof(GemmPlan) + static_cast<size_t>(depth) * 4);
  prepared.state = state;
  return prepared;
}

template <Isa I, Products P>
void run_phases(KernelCall& call) noexcept {
  const State& state = state_of<State>(call);
  PostOp ops[kMaxPostOps];
  state.epilogue.bind(call, 2, ops);
  for (const GemmPlan& plan : state.phases) {
    if (plan.rows == 0) continue;
    run_gemm(gemm_table(I, P), plan, call.in[0].as<const float>(), static_cast<const float*>(call.weights),
             call.out[0].as<float>(), ops, state.epilogue.count(), *call.pool);
  }
}

// ---- blocks

/// Columns up to which all rows of the filter are one product, whose results are then distributed: alone, each row
/// would leave most lanes of a vector empty.
constexpr int64_t kFewColumns = 16;

struct BlockState {
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
int64_t multiplications(const BlockState& s) { return s.out_floats * s.block_rows * s.call.shape.depth + 1; }

template <Products P>
Misfit fits_blocks(const void* op_attributes, const ArgFacts& args) {
  if (const Misfit misfit = fits(op_attributes, args)) return misfit;
  const ConvolutionGeometry g = geometry(*static_cast<const Conv2dTransposeFused*>(op_attributes), args);
  if (g.groups != 1) return "only one group";
  for (const WindowAxis* a : {&g.height(), &g.width()}) {
    if (a->kernel != a->stride || a->dilation != 1 || a->pad_before != 0 || a->out != a->in * a->stride) {
      return "filters overlap or are cut";
    }
  }
  const GemmShape shape{1, g.in_channels, g.width().kernel * g.out_channels};
  return products_misfit(P, g.width().in, shape);
}

template <Isa I, Products P>
Prepared prepare_blocks(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dTransposeFused*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(I, P);
  const ConvolutionGeometry g = geometry(op, args);
  const int64_t depth = g.in_channels;
  const int64_t kernel_h = g.height().kernel;
  const int64_t kernel_w = g.width().kernel;
  const int64_t columns = kernel_w * g.out_channels;
  const bool whole_tensors = EpilogueProgram(op, columns).whole_tensor(2) >= 0;
  BlockState s;
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

  const std::shared_ptr<const void> weights = context.shared_weights("packed", [&]() -> std::shared_ptr<const void> {
    // [depth, kernel_h, kernel_w, channels]
    const auto* filter = args.in(1).value->data<float>();
    std::vector<float> ordered(static_cast<size_t>(depth * kernel_h * columns));
    float* to = ordered.data();
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t tap = 0; tap < kernel_h * kernel_w; ++tap) {
        for (int64_t c = 0; c < g.out_channels; ++c) {
          *to++ = filter[(k * g.out_channels + c) * kernel_h * kernel_w + tap];
        }
      }
    }
    std::shared_ptr<float> packed = aligned_floats(s.packed_floats * kernel_h / product_rows, context.memory);
    for (int64_t y = 0; y < kernel_h / product_rows; ++y) {
      const GemmSource source{.data = ordered.data() + y * columns,
                              .tap_offsets = nullptr,
                              .inner = depth,
                              .join_stride = 0,
                              .inner_stride = kernel_h * columns,
                              .column_stride = 1};
      gemm.pack(s.call.shape, source, packed.get() + y * s.packed_floats, 0, s.panels);
    }
    return packed;
  });
  // Per-channel tensors, repeated for the pixels of a product; joined products.
  const int64_t products = s.joined ? s.slots * g.width().in * s.call.shape.columns : 0;
  const int64_t floats = s.call.shape.columns * kMaxPostOps + products;
  Prepared p = prepared(s, static_cast<size_t>(floats) * sizeof(float));
  p.weights = weights;
  return p;
}

/// Input rows [begin, end), by way of `results`, which has a product's.
void run_joined(const GemmFunctions& gemm, const BlockState& s, GemmCall product, const float* input, int64_t begin,
                int64_t end, float* results, float* output) {
  const int64_t pixels = s.in_floats / s.call.shape.depth;
  const int64_t columns = s.call.shape.columns / s.block_rows;
  product.c = results;
  for (int64_t row = begin; row < end; ++row) {
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

template <Isa I, Products P>
void run_blocks(KernelCall& call) noexcept {
  const BlockState& s = state_of<BlockState>(call);
  const int count = s.epilogue.count();
  PostOp ops[kMaxPostOps];
  s.epilogue.bind(call, 2, ops);
  auto* repeated = static_cast<float*>(call.workspace);
  for (PostOp& op : std::span(ops, static_cast<size_t>(count))) {
    if (op.kind != PostOpKind::kAddChannel && op.kind != PostOpKind::kMulChannel) continue;
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
    product.ops = ops;
    product.op_count = count;
    float* products = static_cast<float*>(call.workspace) + s.call.shape.columns * kMaxPostOps;
    call.pool->parallel_for(s.slots, 1, [&](int64_t begin, int64_t end) {
      for (int64_t slot = begin; slot < end; ++slot) {
        const int64_t last = s.in_rows * (slot + 1) / s.slots;
        run_joined(gemm_table(I, P), s, product, input, s.in_rows * slot / s.slots, last,
                   products + slot * s.in_floats / s.call.shape.depth * s.call.shape.columns, output);
      }
    });
    return;
  }
  call.pool->parallel_for(s.in_rows, kGrainMultiplications / multiplications(s) + 1, [&](int64_t begin, int64_t end) {
    PostOp row_ops[kMaxPostOps];
    std::copy(ops, ops + count, row_ops);
    GemmCall product = s.call;
    product.ops = row_ops;
    product.op_count = count;
    for (int64_t row = begin; row < end; ++row) {
      product.a = input + row * s.in_floats;
      for (int64_t y = 0; y < s.block_rows; ++y) {
        const int64_t at = (row * s.block_rows + y) * s.out_floats;
        product.c = output + at;
        product.packed = packed + y * s.packed_floats;
        for (int i = 0; i < count; ++i) {
          const bool pixelwise = ops[i].kind == PostOpKind::kAddTensor || ops[i].kind == PostOpKind::kMulTensor;
          if (pixelwise) row_ops[i].tensor = ops[i].tensor + at;
        }
        gemm_table(I, P).run(product, 0, s.in_floats / s.call.shape.depth, 0, s.panels);
      }
    }
  });
}

template <Isa I, Products P>
struct Rows {
  static constexpr Kernel row(const char* name, decltype(Kernel::fits) fits, decltype(Kernel::prepare) prepare,
                              decltype(Kernel::run) run) {
    return {.name = name,
            .op = &kOpRow<Conv2dTransposeFused>,
            .isa = I,
            .layout = LayoutRule::kChannelsLast,
            .products = P,
            .fits = fits,
            .prepare = prepare,
            .run = run};
  }
  static constexpr std::array<Kernel, 2> kRows = {
      row(row_name<"conv2d_transpose.blocks", I, P>(), fits_blocks<P>, prepare_blocks<I, P>, run_blocks<I, P>),
      row(row_name<"conv2d_transpose.phases", I, P>(), fits_phases<P>, prepare_phases<I, P>, run_phases<I, P>),
  };
};

constexpr auto kRows = rows_of_all_products<Rows>();

}  // namespace

extern const KernelTable conv2d_transpose;
constinit const KernelTable conv2d_transpose = {kRows};

}  // namespace coracle::cpu::kernels
