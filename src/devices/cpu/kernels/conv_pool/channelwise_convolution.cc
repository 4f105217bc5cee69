// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/buffer.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/conv_pool/convolution_operators.h"

/// Convolutions of volumes, and transposed ones, where each channel has its own filter: channels-last, a result pixel
/// at a time.
namespace coracle::internal::cpu::kernels::channelwise_convolution {
namespace {

/// Filter elements that one result pixel may meet.
constexpr int64_t kMaxTaps = 128;

/// An element that a result reads along one axis, and the element of the filter it meets.
struct Tap {
  int64_t in = 0;
  int32_t element = 0;
};

struct State {
  explicit State(const RunContext& run) : taps{Lines(run), Lines(run), Lines(run)} {}

  using Lines = Buffer<Buffer<Tap>>;
  const LinesFunctions* lines = nullptr;
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t image = 0;  ///< floats
  int64_t out[3] = {1, 1, 1};
  int64_t taps_of_pixel = 1;
  /// By result along depth, height, width; `in` counts floats, `element` those of the whole filter.
  Lines taps[3];
};

RejectionReason fits(const ConvolutionNode& node, const ArgFacts& args) {
  if (args.in(1).value == nullptr) return "the filter is not constant";
  if (node.epilogue != nullptr && !node.epilogue->epilogue.empty()) return "an epilogue follows";
  const ConvolutionGeometry& g = node.geometry;
  if (g.groups == 1 || g.groups != g.in_channels || g.groups != g.out_channels) return "not one filter per channel";
  return g.depth().kernel * g.height().kernel * g.width().kernel <= kMaxTaps ? nullptr : "a large filter";
}

Buffer<Tap> taps_of(const RunContext& run, const WindowAxis& a, bool transposed, int64_t out) {
  Buffer<Tap> taps(run);
  for (int64_t k = 0; k < a.kernel; ++k) {
    int64_t in = out * a.stride - a.pad_before + k * a.dilation;
    if (transposed) {
      const int64_t distance = out + a.pad_before - k * a.dilation;
      if (distance % a.stride != 0) continue;
      in = distance / a.stride;
    }
    if (in >= 0 && in < a.in) taps.push_back({in, static_cast<int32_t>(k)});
  }
  return taps;
}

/// The filter as [element][channel].
struct Form {
  static constexpr std::string_view kLayout = "convolution.channelwise.v1";

  int64_t elements = 0;
  int64_t channels = 0;

  size_t bytes() const { return static_cast<size_t>(elements * channels) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    const auto* from = constants[0]->data<float>();
    auto* packed = reinterpret_cast<float*>(to);
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t e = 0; e < elements; ++e) packed[e * channels + c] = from[c * elements + e];
    }
  }
};

Prepared prepare(const ConvolutionNode& node, const ArgFacts& args, PrepareContext& context) {
  const ConvolutionGeometry& g = node.geometry;
  State s(*context.run);
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.batch = g.batch;
  s.channels = g.in_channels;
  int64_t step = s.channels;
  int64_t elements = 1;
  size_t extra = 0;
  for (int d = 2; d >= 0; --d) {
    const WindowAxis& a = g.axes[d];
    s.out[d] = a.out;
    for (int64_t o = 0; o < a.out; ++o) {
      s.taps[d].push_back(taps_of(*context.run, a, node.transposed, o));
      for (Tap& t : s.taps[d].back()) {
        t.in *= step;
        t.element *= static_cast<int32_t>(elements);
      }
      extra += s.taps[d].back().size() * sizeof(Tap) + sizeof(Buffer<Tap>);
    }
    step *= a.in;
    elements *= a.kernel;
  }
  s.image = step;
  s.taps_of_pixel = elements;
  const int64_t channels = s.channels;
  Prepared prepared = kernels::prepared(std::move(s), 0, extra);
  prepared.weights = context.pack(Form{elements, channels}, args.index(1));
  return prepared;
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int64_t row_floats = s.out[2] * s.channels;
  const int64_t rows = s.batch * s.out[0] * s.out[1];
  call.pool->parallel_for(rows, grain_of(row_floats * s.taps_of_pixel / 4), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t image = row / (s.out[0] * s.out[1]);
      int64_t offsets[kMaxTaps];
      int32_t elements[kMaxTaps];
      WeightedLines p{.x = call.in[0].as<const float>() + image * s.image,
                      .offsets = offsets,
                      .weights = static_cast<const float*>(call.weights),
                      .y = call.out[0].as<float>() + row * row_floats,
                      .channels = static_cast<size_t>(s.channels)};
      for (const Buffer<Tap>& across : s.taps[2]) {
        p.count = 0;
        for (const Tap& z : s.taps[0][static_cast<size_t>(row / s.out[1] % s.out[0])]) {
          for (const Tap& y : s.taps[1][static_cast<size_t>(row % s.out[1])]) {
            for (const Tap& x : across) {
              offsets[p.count] = z.in + y.in + x.in;
              elements[p.count++] = z.element + y.element + x.element;
            }
          }
        }
        s.lines->sum_channelwise(p, elements);
        p.y += s.channels;
      }
    }
  });
}

template <Isa I>
struct IsaKernels {
  template <class Op, bool kByShape>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<"convolution.channelwise", I>(),
            .op = &kOpSchema<Op>,
            .capability = I,
            .layout = kByShape ? LayoutRule::kRowMajor : LayoutRule::kChannelsLast,
            .rank = 2,
            .fits = fits_convolution<Op, fits>,
            .prepare = prepare_convolution<Op, prepare>,
            .run = run};
  }
  static constexpr std::array<KernelDef, 6> kKernels = {make_kernel<Conv3d, false>(),
                                                        make_kernel<Conv3d, true>(),
                                                        make_kernel<Conv3dTranspose, false>(),
                                                        make_kernel<Conv3dTranspose, true>(),
                                                        make_kernel<Conv2dTransposeFused, false>(),
                                                        make_kernel<Conv2dTransposeFused, true>()};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::channelwise_convolution
