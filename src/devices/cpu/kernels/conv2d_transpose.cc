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

/// What decides which filter elements the phases of an axis have: the padding follows from the input's size where it is
/// "SAME".
struct PhaseFilter {
  int64_t kernel = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;

  explicit PhaseFilter(const WindowAxis& a)
      : kernel(a.kernel), stride(a.stride), dilation(a.dilation), pad_before(a.pad_before) {}
  std::vector<int64_t> elements(int64_t phase) const {
    std::vector<int64_t> found;
    for (int64_t k = 0; k < kernel; ++k) {
      if ((phase + pad_before - k * dilation) % stride == 0) found.push_back(k);
    }
    return found;
  }
};

PhaseAxis phase_axis(const WindowAxis& a, int64_t phase) {
  PhaseAxis p;
  p.elements = PhaseFilter(a).elements(phase);
  for (int64_t k : p.elements) {
    p.offsets.push_back(static_cast<int32_t>((phase + a.pad_before - k * a.dilation) / a.stride));
  }
  p.out = a.out > phase ? (a.out - phase + a.stride - 1) / a.stride : 0;
  return p;
}

/// The filter elements of each phase, as packed matrices one behind the other.
struct PhasesForm {
  GemmChoice choice;
  PhaseFilter height;
  PhaseFilter width;
  int64_t groups = 1;
  int64_t depth = 0;    ///< of a group
  int64_t columns = 0;  ///< the same

  /// Calls f(taps, shape, at): the offsets of a phase's filter elements, its product, and where its matrices lie, in
  /// floats. Returns how many there are in all.
  template <class F>
  int64_t for_each_phase(const F& f) const {
    int64_t end = 0;
    for (int64_t py = 0; py < height.stride; ++py) {
      const std::vector<int64_t> rows = height.elements(py);
      for (int64_t px = 0; px < width.stride; ++px) {
        std::vector<int64_t> taps;
        const std::vector<int64_t> places = width.elements(px);
        for (int64_t y : rows) {
          for (int64_t x : places) taps.push_back(y * width.kernel + x);
        }
        const GemmShape shape{static_cast<int64_t>(taps.size()), depth, columns};
        f(taps, shape, end);
        end += choice.table().packed_floats(shape) * groups;
      }
    }
    return end;
  }

  size_t bytes() const {
    const auto nothing = [](const std::vector<int64_t>&, const GemmShape&, int64_t) {};
    return static_cast<size_t>(for_each_phase(nothing)) * sizeof(float);
  }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    const GemmFunctions& gemm = choice.table();
    const auto* filter = constants[0]->data<float>();
    const int64_t area = height.kernel * width.kernel;
    for_each_phase([&](const std::vector<int64_t>& taps, const GemmShape& shape, int64_t at) {
      for (int64_t group = 0; group < groups; ++group) {
        const GemmSource source{.data = filter + group * depth * columns * area,
                                .tap_offsets = taps.data(),
                                .inner = depth,
                                .join_stride = 0,
                                .inner_stride = columns * area,
                                .column_stride = area};
        float* packed = reinterpret_cast<float*>(to) + at + group * gemm.packed_floats(shape);
        gemm.pack(shape, source, packed, 0, gemm.panels(columns));
      }
    });
  }
};

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
  const PhasesForm form{.choice = GemmChoice(I, P),
                        .height = PhaseFilter(h),
                        .width = PhaseFilter(w),
                        .groups = g.groups,
                        .depth = depth,
                        .columns = columns};
  std::vector<int64_t> packed_at;
  form.for_each_phase([&](const std::vector<int64_t>&, const GemmShape&, int64_t at) { packed_at.push_back(at); });
  auto state = std::make_shared<State>();
  state->phases.resize(packed_at.size());
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
        }
      }
      plan.call.shape = {static_cast<int64_t>(plan.tap_y.size()), depth, columns};
      plan.call.groups = g.groups;
      plan.call.a_group_stride = depth;
      plan.call.c_group_stride = columns;
      plan.call.c_stride = g.out_channels;
      plan.rows = g.batch * y.out * x.out;
      plan.panels = g.groups * gemm.panels(columns);
      plan.packed_offset = static_cast<size_t>(packed_at[index]);
      plan.has_image = true;
      plan.zeros.assign(static_cast<size_t>(g.in_channels), 0.0F);
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
  prepared.weights = context.pack(form, args.index(1));
  prepared.state_bytes = sizeof(State) + state->phases.size() * (sizeof(GemmPlan) + static_cast<size_t>(g.in_channels) * 4);
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

/// The rows of the filter as packed matrices, `product_rows` of them in each.
struct BlocksForm {
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

  // Per-channel tensors, repeated for the pixels of a product; joined products.
  const Size products = s.joined ? Size(s.slots) * g.width().in * s.call.shape.columns : 0;
  const Size floats = Size(s.call.shape.columns) * kMaxPostOps + products;
  Prepared p = prepared(s, floats * sizeof(float));
  p.weights = context.pack(BlocksForm{.choice = GemmChoice(I, P),
                                      .depth = depth,
                                      .kernel_h = kernel_h,
                                      .kernel_w = kernel_w,
                                      .channels = g.out_channels,
                                      .product_rows = product_rows},
                           args.index(1));
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
