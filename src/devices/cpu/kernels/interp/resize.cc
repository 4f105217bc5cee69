// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/resize.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/deadline.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/pixel_line.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/interp/legacy_bilinear_interp.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/nearest_interp_add.h"

namespace coracle::internal::cpu::kernels::resize {
namespace {

/// Results whose places are found without a look at the time.
constexpr int64_t kCheckedSteps = 4096;
/// Channels of a vector.
constexpr int64_t kVectorChannels = 8;

/// Where the results along one axis come from.
struct Axis {
  explicit Axis(const RunContext& run) : low(run), high(run), weight(run) {}

  Buffer<int32_t> low;
  Buffer<int32_t> high;
  Buffer<float> weight;

  ResizeAxis view() const { return {low.data(), high.data(), weight.data()}; }
};

struct State {
  explicit State(const RunContext& run) : rows(run), columns(run) {}

  void (*function)(const Resize& p, size_t begin, size_t end) = nullptr;
  int64_t batch = 0;
  int64_t channels = 1;
  int64_t in_h = 0, in_w = 0;
  int64_t out_h = 0, out_w = 0;
  PixelLine y;
  bool adds = false;
  bool scales = false;
  int64_t factor_step = 0;  ///< from image to image
  Axis rows;
  Axis columns;
};

std::optional<InterpolationRequest> request_of(const InterpolationOperator& op, const ArgFacts& args) {
  return interpolation_request(op, args.count(2), args.has(1), args.has(3),
                               [&](int port, int i) { return known_value(args, port, i); });
}

/// Row-major images: each channel is an image of one channel.
bool as_planes(const ArgFacts& args, const InterpolationOperator& op) {
  return args.in(0).layout == Layout::kRowMajor && !is_channels_last(op.format());
}

RejectionReason fits(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const InterpolationOperator*>(op);
  if (args.shape(0).rank() != 4) return "only images of two dimensions";
  const bool by_shape = args.kernel().layout == LayoutRule::kRowMajor;
  if (is_channels_last(o.format()) != by_shape) return "the channels lie elsewhere";
  if (!request_of(o, args)) return "the size is not known while planning";
  if (as_planes(args, o) && args.view_out() != nullptr) return "only whole images";
  return by_shape ? nullptr : pixels_rejection(args, false);
}

Axis axis_of(const RunContext& run, InterpolationMethod method, const InterpolationAxis& axis) {
  Axis a(run);
  a.low.reserve(static_cast<size_t>(axis.out));
  a.high.reserve(static_cast<size_t>(axis.out));
  a.weight.reserve(static_cast<size_t>(axis.out));
  for (int64_t o = 0; o < axis.out; ++o) {
    if (o % kCheckedSteps == 0) run.check();
    InterpolationTaps taps{.count = 1, .index = {o}, .weight = {1}};
    if (!axis.copy) taps = interpolation_taps(method, axis, o);
    if (taps.count == 1) taps.index[1] = taps.index[0];
    a.low.push_back(static_cast<int32_t>(taps.index[0]));
    a.high.push_back(static_cast<int32_t>(taps.index[1]));
    a.weight.push_back(taps.count == 1 ? 0.0F : taps.weight[1]);
  }
  return a;
}

RejectionReason fits_add(const void* op, const ArgFacts& args) {
  if (const RejectionReason rejection = fits(op, args)) return rejection;
  const Shape& y = args.out().shape;
  if (args.shape(NearestInterpAdd::kAddend) != y) return "the addend is repeated";
  const auto& o = *static_cast<const NearestInterpAdd*>(op);
  const InterpolationGeometry g =
      interpolation_geometry(o, NearestInterpAdd::kKind, args.shape(0), *request_of(o, args));
  if (Shape{g.batch, g.channels, g.axes[1].out, g.axes[2].out} != y) return "the resized image is repeated";
  if (!args.has(NearestInterpAdd::kFactor)) return nullptr;
  const Shape& f = args.shape(NearestInterpAdd::kFactor);
  if (y[1] == 1) return "one channel";
  return f == Shape{y[0], y[1], 1, 1} || f == Shape{1, y[1], 1, 1} ? nullptr : "the factor is not one per channel";
}

State state_of_resize(const RunContext& run, const InterpolationOperator& op, const InterpolationKind& kind,
                      const ArgFacts& args) {
  const InterpolationGeometry g = interpolation_geometry(op, kind, args.shape(0), *request_of(op, args));
  State s(run);
  s.batch = g.batch;
  s.channels = g.channels;
  if (as_planes(args, op)) s.batch *= std::exchange(s.channels, 1);
  s.in_h = g.axes[1].in;
  s.in_w = g.axes[2].in;
  s.out_h = g.axes[1].out;
  s.out_w = g.axes[2].out;
  s.y = {0, s.channels};
  if (args.view_out() != nullptr) s.y = *pixel_line(args.out(), args.view_out());
  s.rows = axis_of(run, kind.method, g.axes[1]);
  s.columns = axis_of(run, kind.method, g.axes[2]);
  const ResizeFunctions& f = resize_table(kernel_isa(args.kernel()));
  // An image that keeps its size is copied: infinity times a weight of 0 would not be a number.
  if (kind.method == InterpolationMethod::kNearest || g.axes[1].copy) {
    s.function = s.y.stride == 1 ? f.nearest_plane : f.nearest;
  } else {
    s.function = s.y.stride == 1 ? f.bilinear_plane : f.bilinear;
  }
  return s;
}

Prepared with_axes(State s) {
  const auto extra = static_cast<size_t>(s.out_h + s.out_w) * 12;
  return prepared(std::move(s), 0, extra);
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return with_axes(state_of_resize(*context.run, *static_cast<const Op*>(op), Op::kKind, args));
}

Prepared prepare_add(const void* op, const ArgFacts& args, PrepareContext& context) {
  State s = state_of_resize(*context.run, *static_cast<const NearestInterpAdd*>(op), NearestInterpAdd::kKind, args);
  s.adds = true;
  s.scales = args.has(NearestInterpAdd::kFactor);
  if (s.scales && args.shape(NearestInterpAdd::kFactor)[0] > 1) s.factor_step = s.channels;
  return with_axes(std::move(s));
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const float* x = call.in[0].as<const float>();
  float* y = call.out[0].as<float>() + s.y.start;
  const float* add = s.adds ? call.in.back().as<const float>() : nullptr;
  const float* factor = s.scales ? call.in[call.in.size() - 2].as<const float>() : nullptr;
  // Pixels of few channels take as long as those of a vector of them.
  const int64_t cost = 2 * s.out_w * std::max(s.channels, kVectorChannels);
  call.pool->parallel_for(s.batch * s.out_h, grain_of(cost), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / s.out_h;
      const int64_t first = begin - image * s.out_h;
      const int64_t last = end - begin < s.out_h - first ? first + end - begin : s.out_h;
      const int64_t pixel = image * s.out_h * s.out_w;
      const Resize p{.x = x + image * s.in_h * s.in_w * s.channels,
                     .add = add != nullptr ? add + pixel * s.channels : nullptr,
                     .factor = factor != nullptr ? factor + image * s.factor_step : nullptr,
                     .y = y + pixel * s.y.stride,
                     .in_width = static_cast<size_t>(s.in_w),
                     .out_width = static_cast<size_t>(s.out_w),
                     .channels = static_cast<size_t>(s.channels),
                     .y_stride = static_cast<size_t>(s.y.stride),
                     .rows = s.rows.view(),
                     .columns = s.columns.view(),
                     .deadline = call.deadline()};
      s.function(p, static_cast<size_t>(first), static_cast<size_t>(last));
      begin += last - first;
    }
  });
}

/// The nearest pixels of images of bytes.
void run_bytes(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto* x = call.in[0].as<const int8_t>();
  int8_t* y = call.out[0].as<int8_t>() + s.y.start;
  const auto pixel = static_cast<size_t>(s.channels);
  const int64_t line = s.out_w * s.y.stride;
  call.pool->parallel_for(s.batch * s.out_h, grain_of(line / 4), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t image = row / s.out_h;
      const int32_t* low = s.rows.low.data() + (row - image * s.out_h);
      int8_t* to = y + row * line;
      if (row > begin && row > image * s.out_h && low[0] == low[-1] && s.y.stride == s.channels) {
        std::memcpy(to, to - line, static_cast<size_t>(line));
        continue;
      }
      const int8_t* from = x + (image * s.in_h + *low) * s.in_w * s.channels;
      for (const int32_t column : s.columns.low) {
        std::memcpy(to, from + column * s.channels, pixel);
        to += s.y.stride;
      }
    }
  });
}

/// Images with the channels last, by memory order or by the operator's own format. The nearest pixels of row-major
/// images are as quickly copied.
template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> make_kernels() {
  constexpr bool kAnyOrder = Op::kKind.method == InterpolationMethod::kNearest;
  KernelDef k{.name = kernel_name<Op, kIsa>(),
              .op = &kOpSchema<Op>,
              .capability = kIsa,
              .layout = kAnyOrder ? LayoutRule::kSame : LayoutRule::kChannelsLast,
              .strided = true,
              .fits = fits,
              .prepare = prepare<Op>,
              .run = run};
  KernelDef by_shape = k;
  by_shape.layout = LayoutRule::kRowMajor;
  by_shape.strided = false;
  return {k, by_shape};
}

template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> kernels_of_bytes() {
  std::array<KernelDef, 2> all = make_kernels<Op, kIsa>();
  for (KernelDef& k : all) {
    k.types = {.operands = DType::kInt8, .results = DType::kInt8};
    k.run = run_bytes;
  }
  return all;
}

template <Isa kIsa>
constexpr std::array<KernelDef, 1> add_kernels() {
  return {KernelDef{.name = kernel_name<NearestInterpAdd, kIsa>(),
                    .op = &kOpSchema<NearestInterpAdd>,
                    .capability = kIsa,
                    .layout = LayoutRule::kChannelsLast,
                    .strided = true,
                    .fits = fits_add,
                    .prepare = prepare_add,
                    .run = run}};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels = kernel_table_detail::join(
      make_kernels<NearestInterp, kIsa>(), make_kernels<BilinearInterp, kIsa>(),
      make_kernels<LegacyNearestInterp, kIsa>(), make_kernels<LegacyBilinearInterp, kIsa>(),
      kernels_of_bytes<NearestInterp, kIsa>(), kernels_of_bytes<LegacyNearestInterp, kIsa>(), add_kernels<kIsa>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::resize
