// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/conv_pool/convolution_operators.h"
#include "devices/cpu/tile_cost.h"

/// Convolutions that conv2d leaves, over volumes, of files that put the channels last, and with a filter that is
/// computed; and transposed ones. One product of gathered pixels with the packed filter for each
/// phase: results whose coordinates leave the same remainders by the strides of a transposed convolution.
namespace coracle::internal::cpu::kernels::convolution {
namespace {

/// What the packed filter depends on besides its elements.
struct FilterForm {
  GemmChoice choice;
  int64_t transposed = 0;  ///< 0 or 1
  int64_t joined = 0;      ///< 1: the taps of a filter row are one
  int64_t groups = 1;
  int64_t depth = 0;    ///< input channels of a group
  int64_t columns = 0;  ///< result channels of a group
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};  ///< and the next two: for transposed convolutions
  int64_t dilation[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0};

  int64_t volume() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t phases(int axis) const { return transposed ? stride[axis] : 1; }
};

/// Which elements of the filter make a phase along one axis, and where they read relative to the phase's own index.
struct PhaseAxis {
  std::vector<int64_t> elements;
  std::vector<int32_t> offsets;
};

PhaseAxis phase_axis(const FilterForm& f, int axis, int64_t phase) {
  PhaseAxis p;
  for (int64_t k = 0; k < f.kernel[axis]; ++k) {
    int64_t offset = k * f.dilation[axis] - f.pad[axis];
    if (f.transposed) {
      const int64_t distance = phase - offset;
      if (distance % f.stride[axis] != 0) continue;
      offset = distance / f.stride[axis];
    } else if (f.joined && axis == 2 && k > 0) {
      break;
    }
    p.elements.push_back(k);
    p.offsets.push_back(static_cast<int32_t>(offset));
  }
  return p;
}

struct Phase {
  std::vector<int64_t> elements;  ///< positions in one filter
  std::vector<int32_t> z, y, x;
};

/// All phases, width fastest.
std::vector<Phase> phases_of(const FilterForm& f) {
  std::vector<Phase> phases;
  for (int64_t pz = 0; pz < f.phases(0); ++pz) {
    const PhaseAxis z = phase_axis(f, 0, pz);
    for (int64_t py = 0; py < f.phases(1); ++py) {
      const PhaseAxis y = phase_axis(f, 1, py);
      for (int64_t px = 0; px < f.phases(2); ++px) {
        const PhaseAxis x = phase_axis(f, 2, px);
        Phase& phase = phases.emplace_back();
        for (size_t i = 0; i < z.elements.size(); ++i) {
          for (size_t j = 0; j < y.elements.size(); ++j) {
            for (size_t k = 0; k < x.elements.size(); ++k) {
              phase.elements.push_back((z.elements[i] * f.kernel[1] + y.elements[j]) * f.kernel[2] + x.elements[k]);
              phase.z.push_back(z.offsets[i]);
              phase.y.push_back(y.offsets[j]);
              phase.x.push_back(x.offsets[k]);
            }
          }
        }
      }
    }
  }
  return phases;
}

GemmShape product_shape(const FilterForm& f, const Phase& phase) {
  return {static_cast<int64_t>(phase.elements.size()), f.depth * (f.joined ? f.kernel[2] : 1), f.columns};
}

/// Floats of the packed filter.
int64_t packed_floats(const FilterForm& f, const std::vector<Phase>& phases) {
  int64_t floats = 0;
  for (const Phase& p : phases) floats += f.choice.table().packed_floats(product_shape(f, p)) * f.groups;
  return floats;
}

void pack_filter(const FilterForm& f, const std::vector<Phase>& phases, const float* filter, float* packed,
                 ThreadPool& pool) {
  constexpr int64_t kPackGrain = 16 << 10;
  const GemmFunctions& gemm = f.choice.table();
  const int64_t panels = gemm.panels(f.columns);
  const int64_t volume = f.volume();
  for (const Phase& phase : phases) {
    const GemmShape shape = product_shape(f, phase);
    const int64_t size = gemm.packed_floats(shape);
    pool.parallel_for(f.groups * panels, kPackGrain * panels / (size + 1) + 1, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t group = begin / panels;
        const int64_t last = std::min(end, (group + 1) * panels);
        const GemmSource source{.data = filter + group * f.depth * f.columns * volume,
                                .tap_offsets = phase.elements.data(),
                                .inner = f.depth,
                                .join_stride = 1,
                                .inner_stride = f.transposed ? f.columns * volume : volume,
                                .column_stride = f.transposed ? volume : f.depth * volume};
        gemm.pack(shape, source, packed + group * size, begin - group * panels, last - group * panels);
        begin = last;
      }
    });
    packed += size * f.groups;
  }
}

/// The packed filter of all phases.
struct PackedFilter {
  static constexpr std::string_view kLayout = "convolution.phases.v1";

  FilterForm form;

  /// Where the taps of a convolution read, which packing does not ask for, is left out.
  explicit PackedFilter(const FilterForm& f) : form(f) {
    if (form.transposed != 0) return;
    std::fill(std::begin(form.stride), std::end(form.stride), 1);
    std::fill(std::begin(form.dilation), std::end(form.dilation), 1);
    std::fill(std::begin(form.pad), std::end(form.pad), 0);
  }
  size_t bytes() const { return static_cast<size_t>(packed_floats(form, phases_of(form))) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const {
    pack_filter(form, phases_of(form), constants[0]->data<float>(), reinterpret_cast<float*>(to), pool);
  }
};

struct State {
  FilterForm form;
  std::vector<Phase> phases;
  std::vector<GemmPlan> plans;
  bool packs = false;  ///< the filter is computed: it is packed into the workspace in each run
  EpilogueProgram epilogue;
};

bool joins_taps(const ConvolutionGeometry& g) {
  const WindowAxis& w = g.width();
  return g.groups == 1 && w.kernel > 1 && w.dilation == 1 && w.kernel * g.in_channels <= kMaxJoinedDepth &&
         g.depth().kernel * g.height().kernel <= kMaxJoinedTaps;
}

FilterForm form_of(const ConvolutionNode& node, const KernelDef& kernel) {
  const ConvolutionGeometry& g = node.geometry;
  FilterForm f;
  f.choice = GemmChoice(kernel);
  f.transposed = node.transposed ? 1 : 0;
  f.joined = f.transposed == 0 && joins_taps(g) ? 1 : 0;
  f.groups = g.groups;
  f.depth = g.in_channels / g.groups;
  f.columns = g.out_channels / g.groups;
  for (int i = 0; i < 3; ++i) {
    const WindowAxis& a = g.axes[i];
    f.kernel[i] = a.kernel;
    f.stride[i] = a.stride;
    f.dilation[i] = a.dilation;
    f.pad[i] = a.pad_before;
  }
  return f;
}

/// Results of a phase along an axis.
int64_t phase_size(const WindowAxis& a, bool transposed, int64_t phase) {
  if (!transposed) return a.out;
  return a.out > phase ? (a.out - phase + a.stride - 1) / a.stride : 0;
}

TileProduct tile_product(const ConvolutionGeometry& g, const FilterForm& form, const Phase& phase) {
  TileProduct product{.rows = 1, .shape = product_shape(form, phase), .count = static_cast<double>(g.groups)};
  for (const WindowAxis& a : g.axes) product.rows *= phase_size(a, form.transposed != 0, 0);
  return product;
}

RejectionReason fits(const ConvolutionNode& node, const ArgFacts& args) {
  if (const RejectionReason rejection = convolution_epilogue_rejection(node, args)) return rejection;
  const ConvolutionGeometry& g = node.geometry;
  const bool channelwise = g.groups > 1 && (g.groups == g.in_channels || g.groups == g.out_channels);
  // Of a transposed one with an epilogue there is no other kernel.
  if (channelwise && !(node.transposed && node.epilogue != nullptr)) return "one filter per channel";
  const FilterForm form = form_of(node, args.kernel());
  constexpr RejectionReason kEmptyPhase = "some results see no filter element";
  for (int i = 0; i < 3; ++i) {
    // Each element belongs to one phase of its axis; strides may be any number.
    if (form.phases(i) > form.kernel[i]) return kEmptyPhase;
  }
  for (const Phase& phase : phases_of(form)) {
    if (phase.elements.empty()) return kEmptyPhase;
    const TileProduct product = tile_product(g, form, phase);
    if (const RejectionReason rejection = mode_rejection(kernel_mode(args.kernel()), product.rows, product.shape))
      return rejection;
  }
  return nullptr;
}

std::optional<CostEstimate> cost(const ConvolutionNode& node, const ArgFacts& args) {
  const FilterForm form = form_of(node, args.kernel());
  std::optional<CostEstimate> all = CostEstimate{};
  for (const Phase& phase : phases_of(form)) {
    all = sum_of(all, tile_cost(kernel_mode(args.kernel()), tile_product(node.geometry, form, phase)));
  }
  return all;
}

Prepared prepare(const ConvolutionNode& node, const ArgFacts& args, PrepareContext& context) {
  const ConvolutionGeometry& g = node.geometry;
  const GemmFunctions& gemm = gemm_table(args.kernel());
  State s;
  s.form = form_of(node, args.kernel());
  s.phases = phases_of(s.form);
  const FilterForm& f = s.form;
  const WindowAxis* axes = g.axes;
  size_t packed = 0;
  size_t extra = 0;
  for (size_t i = 0; i < s.phases.size(); ++i) {
    const auto p = static_cast<int64_t>(i);
    const int64_t at[] = {p / (f.phases(1) * f.phases(2)), p / f.phases(2) % f.phases(1), p % f.phases(2)};
    const int64_t apart[] = {f.phases(0), f.phases(1), f.phases(2)};
    const Phase& phase = s.phases[i];
    GemmPlan& plan = s.plans.emplace_back();
    plan.call.shape = product_shape(f, phase);
    plan.call.groups = f.groups;
    plan.call.a_group_stride = f.depth;
    plan.call.c_group_stride = f.columns;
    plan.call.c_stride = g.out_channels;
    plan.panels = f.groups * gemm.panels(f.columns);
    plan.packed_offset = packed;
    packed += static_cast<size_t>(gemm.packed_floats(plan.call.shape) * f.groups);
    plan.has_image = true;
    plan.zeros.assign(static_cast<size_t>((f.joined ? f.kernel[2] : 1) * g.in_channels), 0.0F);
    plan.tap_y = phase.y;
    plan.tap_x = phase.x;
    GemmImage& image = plan.image;
    image.in_d = axes[0].in;
    image.in_h = axes[1].in;
    image.in_w = axes[2].in;
    image.in_channels = g.in_channels;
    image.out_d = phase_size(axes[0], f.transposed, at[0]);
    image.out_h = phase_size(axes[1], f.transposed, at[1]);
    image.out_w = phase_size(axes[2], f.transposed, at[2]);
    if (!f.transposed) {
      image.stride_z = axes[0].stride;
      image.stride_y = axes[1].stride;
      image.stride_x = axes[2].stride;
    }
    image.join = f.joined ? f.kernel[2] : 1;
    image.out_first = (at[0] * axes[1].out + at[1]) * axes[2].out + at[2];
    image.out_batch = axes[0].out * axes[1].out * axes[2].out;
    image.out_plane = apart[0] * axes[1].out * axes[2].out;
    image.out_row = apart[1] * axes[2].out;
    image.out_column = apart[2];
    plan.rows = g.batch * image.out_d * image.out_h * image.out_w;
    extra += sizeof(GemmPlan) + plan.zeros.size() * sizeof(float) + phase.elements.size() * 3 * sizeof(int64_t);
  }
  for (size_t i = 0; i < s.plans.size(); ++i) {
    GemmImage& image = s.plans[i].image;
    image.tap_z = s.phases[i].z.data();  // elements stay where they are when their vector is moved
    image.tap_y = s.plans[i].tap_y.data();
    image.tap_x = s.plans[i].tap_x.data();
  }
  s.epilogue = epilogue_program(node);
  s.packs = args.in(1).value == nullptr;
  std::shared_ptr<const void> weights;
  if (!s.packs) weights = context.pack(PackedFilter{f}, args.index(1));
  const size_t workspace = s.packs ? packed * sizeof(float) : 0;
  Prepared prepared = kernels::prepared(std::move(s), workspace, extra);
  prepared.weights = weights;
  return prepared;
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  s.epilogue.bind(call, 2, ops);
  const auto* packed = static_cast<const float*>(call.weights);
  if (s.packs) {
    auto* room = static_cast<float*>(call.workspace);
    pack_filter(s.form, s.phases, call.in[1].as<const float>(), room, *call.pool);
    packed = room;
  }
  for (const GemmPlan& plan : s.plans) {
    if (plan.rows == 0) continue;
    run_gemm(gemm_table(*call.kernel), plan, call.in[0].as<const float>(), packed, call.out[0].as<float>(), ops,
             s.epilogue.count(), *call.pool);
  }
}

template <class Op, bool kByShape, Isa I, ComputeMode P>
constexpr const char* name_of() {
  if (std::is_same_v<Op, Conv2dTransposeFused> && !kByShape) return kernel_name<"conv2d_transpose.phases", I, P>();
  return kernel_name<Op, I, P>();
}

template <Isa I, ComputeMode P>
struct IsaKernels {
  template <class Op, bool kByShape>
  static constexpr KernelDef make_kernel() {
    return {.name = name_of<Op, kByShape, I, P>(),
            .op = &kOpSchema<Op>,
            .capability = I,
            .layout = kByShape ? LayoutRule::kRowMajor : LayoutRule::kChannelsLast,
            .mode = P,
            .fits = fits_convolution<Op, fits>,
            .estimate = P == ComputeMode::kFloat32 ? nullptr : cost_of_convolution<Op, cost>,
            .prepare = prepare_convolution<Op, prepare>,
            .run = run};
  }
  static constexpr std::array<KernelDef, 13> kKernels = {make_kernel<Conv3d, false>(),
                                                         make_kernel<Conv3d, true>(),
                                                         make_kernel<Conv3dTranspose, false>(),
                                                         make_kernel<Conv3dTranspose, true>(),
                                                         make_kernel<Conv2d, false>(),
                                                         make_kernel<Conv2d, true>(),
                                                         make_kernel<DepthwiseConv2d, false>(),
                                                         make_kernel<DepthwiseConv2d, true>(),
                                                         make_kernel<Conv2dFused, true>(),
                                                         make_kernel<Conv2dTranspose, false>(),
                                                         make_kernel<Conv2dTranspose, true>(),
                                                         make_kernel<Conv2dTransposeFused, false>(),
                                                         make_kernel<Conv2dTransposeFused, true>()};
};

constexpr auto kKernels = kernels_of_all_products<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::convolution
