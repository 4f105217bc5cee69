// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/gemm_plan.h"
#include "ops/conv2d_transpose_fused.h"

/// Transposed convolution, channels-last: output pixels whose coordinates leave the same remainders by the strides form
/// one small convolution each ("phase").
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
    for (int64_t phase = 0; phase < a->stride; ++phase) {
      if (phase_axis(*a, phase).elements.empty()) return "some output pixels see no filter element";
    }
  }
  return epilogue_misfit(op, args, 2, convolution_result(g, op.data_format, 2), g.out_channels);
}

template <Isa I>
Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dTransposeFused*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(I);
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
    std::shared_ptr<float> packed = aligned_floats(static_cast<int64_t>(packed_floats));
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

template <Isa I>
void run(KernelCall& call) noexcept {
  const auto& state = *static_cast<const State*>(call.state);
  PostOp ops[kMaxPostOps];
  state.epilogue.bind(call, 2, ops);
  for (const GemmPlan& plan : state.phases) {
    if (plan.rows == 0) continue;
    run_gemm(gemm_table(I), plan, call.in[0].as<const float>(), static_cast<const float*>(call.weights),
             call.out[0].as<float>(), ops, state.epilogue.count(), *call.pool);
  }
}

template <Isa I>
constexpr Kernel row(const char* name) {
  return {.name = name,
          .op = &kOpRow<Conv2dTransposeFused>,
          .isa = I,
          .layout = LayoutRule::kChannelsLast,
          .fits = fits,
          .prepare = prepare<I>,
          .run = run<I>};
}

constexpr Kernel kRows[] = {
#if defined(__x86_64__)
    row<Isa::kAvx512>("conv2d_transpose.phases.avx512"),
    row<Isa::kAvx2>("conv2d_transpose.phases.avx2"),
    row<Isa::kSse2>("conv2d_transpose.phases.sse2"),
#else
    row<Isa::kNeon>("conv2d_transpose.phases.neon"),
#endif
};

}  // namespace

extern const KernelTable conv2d_transpose;
constinit const KernelTable conv2d_transpose = {kRows};

}  // namespace coracle::cpu::kernels
