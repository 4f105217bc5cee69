// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <vector>

#include "base/buffer.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/conv_pool/max_pool2d_with_index.h"
#include "ops/conv_pool/max_pool3d_with_index.h"
#include "ops/conv_pool/pool3d.h"

/// Pooling of volumes, and pooling that tells where it found the largest element, channels-last.
namespace coracle::internal::cpu::kernels::pool_volume {
namespace {

struct Window {
  int64_t begin = 0;
  int64_t size = 0;
  int64_t divisor = 1;
};

struct State {
  explicit State(const RunContext& run) : windows{Buffer<Window>(run), Buffer<Window>(run), Buffer<Window>(run)} {}

  const LinesFunctions* lines = nullptr;
  bool average = false;
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t volume = 1;  ///< elements of a window, about
  Buffer<Window> windows[3];
};

/// Result 1, where there is one, is where the largest elements lie.
constexpr TypeRule kTypes = {.out = {{{1, DType::kInt32}}}};

/// Whether result 1 is where the largest elements lie.
template <class Op>
constexpr bool kHasPlaces = !std::is_same_v<Op, Pool3d>;

template <class Op>
PoolingGeometry geometry(const Op& op, const ArgFacts& args) {
  if constexpr (kHasPlaces<Op>) {
    constexpr int kSpatial = std::is_same_v<Op, MaxPool2dWithIndex> ? 2 : 3;
    PoolingGeometry g = pooling_geometry(op.pooling(), op.kernel_size, args.shape(0), kSpatial);
    g.adaptive = op.adaptive;
    return g;
  } else {
    return pooling_geometry(op, op.kernel_size, args.shape(0), 3);
  }
}

template <class Op>
RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  if (args.shape(0).count() == 0 || args.out().shape.count() == 0) return "no elements";
  if constexpr (!kHasPlaces<Op>) {
    const auto& op = *static_cast<const Op*>(op_attributes);
    const bool by_shape = args.kernel().layout == LayoutRule::kRowMajor;
    if (is_channels_last(op.data_format) != by_shape) return "the channels lie elsewhere";
  }
  return nullptr;
}

Prepared prepared_windows(const RunContext& run, const PoolingGeometry& g, const ArgFacts& args) {
  State s(run);
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.average = g.average;
  s.batch = g.batch;
  s.channels = g.channels;
  size_t extra = 0;
  for (int d = 0; d < 3; ++d) {
    s.in[d] = g.axes[d].in;
    s.out[d] = g.axes[d].out;
    for (int64_t o = 0; o < s.out[d]; ++o) {
      const int64_t begin = g.begin(d, o);
      s.windows[d].push_back({begin, std::max<int64_t>(g.end(d, o) - begin, 0), g.divisor(d, o)});
    }
    s.volume *= g.adaptive ? s.in[d] / s.out[d] + 1 : g.axes[d].kernel;
    extra += s.windows[d].size() * sizeof(Window);
  }
  return prepared(std::move(s), 0, extra);
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepared_windows(*context.run, geometry(*static_cast<const Op*>(op), args), args);
}

template <class Op>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto* x = call.in[0].as<const float>();
  auto* y = call.out[0].as<float>();
  auto* places = kHasPlaces<Op> && call.out.size() > 1 ? call.out[1].as<int32_t>() : nullptr;
  const int64_t row_floats = s.out[2] * s.channels;
  call.pool->parallel_for(
      s.batch * s.out[0] * s.out[1], grain_of(row_floats * s.volume), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t image = row / (s.out[0] * s.out[1]);
          const Window& z = s.windows[0][static_cast<size_t>(row / s.out[1] % s.out[0])];
          const Window& h = s.windows[1][static_cast<size_t>(row % s.out[1])];
          PixelBox p;
          p.row_stride = s.in[2] * s.channels;
          p.plane_stride = s.in[1] * p.row_stride;
          p.planes = z.size;
          p.rows = h.size;
          p.channels = static_cast<size_t>(s.channels);
          p.row_places = static_cast<int32_t>(s.in[2]);
          p.plane_places = static_cast<int32_t>(s.in[1] * s.in[2]);
          const float* line = x + ((image * s.in[0] + z.begin) * s.in[1] + h.begin) * p.row_stride;
          for (int64_t o = 0; o < s.out[2]; ++o) {
            const Window& w = s.windows[2][static_cast<size_t>(o)];
            p.x = line + w.begin * s.channels;
            p.columns = w.size;
            p.y = y + row * row_floats + o * s.channels;
            if (kHasPlaces<Op>) {
              p.places = places == nullptr ? nullptr : places + row * row_floats + o * s.channels;
              p.first_place = static_cast<int32_t>((z.begin * s.in[1] + h.begin) * s.in[2] + w.begin);
              s.lines->largest(p);
            } else if (s.average) {
              s.lines->mean(p, static_cast<float>(z.divisor * h.divisor * w.divisor));
            } else {
              s.lines->maximum(p);
            }
          }
        }
      });
}

template <Isa kIsa>
struct IsaKernels {
  template <class Op, bool kByShape = false>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<Op, kIsa>(),
            .op = &kOpSchema<Op>,
            .capability = kIsa,
            .layout = kByShape ? LayoutRule::kRowMajor : LayoutRule::kChannelsLast,
            .types = kHasPlaces<Op> ? kTypes : kFloat32Rule,
            .fits = fits<Op>,
            .prepare = prepare<Op>,
            .run = run<Op>};
  }
  static constexpr std::array<KernelDef, 4> kKernels = {make_kernel<Pool3d>(), make_kernel<Pool3d, true>(),
                                                        make_kernel<MaxPool2dWithIndex>(),
                                                        make_kernel<MaxPool3dWithIndex>()};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::pool_volume
