// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/pool.h"

#include <type_traits>
#include <vector>

#include "base/buffer.h"
#include "devices/cpu/blocked_reduction.h"
#include "devices/cpu/isa/reduce.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/pixel_line.h"
#include "ops/conv_pool/pool2d.h"

namespace coracle::internal::cpu::kernels::pool {
namespace {

/// The windows along one axis.
struct Axis {
  explicit Axis(const RunContext& run) : begin(run), end(run), divisor(run) {}

  Buffer<int32_t> begin;
  Buffer<int32_t> end;
  Buffer<int32_t> divisor;

  PoolAxis view() const { return {begin.data(), end.data(), divisor.data()}; }
};

struct State {
  explicit State(const RunContext& run) : rows(run), columns(run) {}

  const PoolFunctions* pool = nullptr;
  const ReduceFunctions* reduce = nullptr;  ///< set where one window covers each image, for the average
  BlockedReduction blocks;                  ///< of such an image
  bool average = false;
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t in_h = 0, in_w = 0;
  int64_t out_h = 0, out_w = 0;
  PixelLine y;
  int64_t window = 1;  ///< elements of a window, about
  Axis rows;
  Axis columns;
};

Axis windows_of(const RunContext& run, const PoolingGeometry& g, int axis) {
  Axis a(run);
  for (int64_t o = 0; o < g.axes[axis].out; ++o) {
    const int64_t begin = g.begin(axis, o);
    a.begin.push_back(static_cast<int32_t>(begin));
    a.end.push_back(static_cast<int32_t>(std::max(begin, g.end(axis, o))));
    a.divisor.push_back(static_cast<int32_t>(g.divisor(axis, o)));
  }
  return a;
}

/// True if the one window of an axis is all of it.
bool whole(const Axis& a, int64_t in) {
  return a.begin.size() == 1 && a.begin[0] == 0 && a.end[0] == in && a.divisor[0] == in;
}

RejectionReason fits(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const Pool2d*>(op);
  const bool by_shape = args.kernel().layout == LayoutRule::kRowMajor;
  if (is_channels_last(o.data_format) != by_shape) return "the channels lie elsewhere";
  if (args.has(1) && known_value(args, 1) == nullptr) return "the window size is not constant";
  return by_shape ? nullptr : pixels_rejection(args, false);
}

RejectionReason fits_int8(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const Pool2d*>(op);
  return o.pooling_type == PoolingType::kAverage ? "only the maximum" : fits(op, args);
}

Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  const auto& o = *static_cast<const Pool2d*>(op);
  const Tensor* kernel = known_value(args, 1);
  const PoolingGeometry g = pooling_geometry(o, kernel == nullptr ? Ints{} : kernel->integers(), args.shape(0), 2);
  State s(*context.run);
  s.pool = &pool_table(kernel_isa(args.kernel()));
  s.average = g.average;
  s.batch = g.batch;
  s.channels = g.channels;
  s.in_h = g.axes[1].in;
  s.in_w = g.axes[2].in;
  s.out_h = g.axes[1].out;
  s.out_w = g.axes[2].out;
  s.y = {0, s.channels};
  if (args.view_out() != nullptr) s.y = *pixel_line(args.out(), args.view_out());
  s.rows = windows_of(*context.run, g, 1);
  s.columns = windows_of(*context.run, g, 2);
  s.window =
      g.adaptive ? (s.in_h / (s.out_h + 1) + 1) * (s.in_w / (s.out_w + 1) + 1) : g.axes[1].kernel * g.axes[2].kernel;
  // The maximum along an axis and that of a window differ in what they make of NaN.
  const bool all = whole(s.rows, s.in_h) && whole(s.columns, s.in_w) && s.in_h * s.in_w > 0;
  if (g.average && all) {
    s.reduce = &reduce_table(kernel_isa(args.kernel()));
    s.blocks = BlockedReduction(ReduceKind::kMean, s.in_h * s.in_w, s.channels);
  }
  const auto extra = static_cast<size_t>(3 * (s.out_h + s.out_w)) * sizeof(int32_t);
  const bool by_rows = !g.adaptive && s.reduce == nullptr;
  const size_t workspace = s.blocks.workspace(s.batch);
  Prepared p = prepared(std::move(s), workspace, extra);
  if (by_rows) p.rows = {g.axes[1].stride, g.axes[1].pad_before, g.axes[1].kernel};
  return p;
}

/// The average of each image: columns of [pixels, channels].
void run_whole(const KernelCall& call, const State& s, const float* x, float* y) {
  const int64_t pixels = s.in_h * s.in_w;
  if (s.blocks.is_used()) {
    s.blocks.run(*s.reduce, x, s.batch, y, s.y.stride, call.workspace, *call.pool, call.deadline());
    return;
  }
  const int64_t grain = grain_of(pixels) < 64 ? 64 : grain_of(pixels);
  call.pool->parallel_for(s.batch * s.channels, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / s.channels;
      const int64_t first = begin - image * s.channels;
      const int64_t last = end - begin < s.channels - first ? first + end - begin : s.channels;
      s.reduce->strided(ReduceKind::kMean, x + image * pixels * s.channels, y + image * s.y.stride,
                        static_cast<size_t>(pixels), static_cast<size_t>(s.channels), static_cast<size_t>(first),
                        static_cast<size_t>(last), call.deadline());
      begin += last - first;
    }
  });
}

template <class T>
auto function_of(const State& s) {
  if constexpr (std::is_same_v<T, int8_t>) {
    return s.pool->max_int8;
  } else {
    return s.average ? s.pool->average : s.pool->max;
  }
}

/// Rows [begin, end) of the result, counted through all images.
template <class T>
void run_rows(const KernelCall& call, int64_t begin, int64_t end) noexcept {
  const State& s = state_of<State>(call);
  const T* x = call.in[0].as<const T>();
  T* y = call.out[0].as<T>() + s.y.start;
  const auto function = function_of<T>(s);
  const int64_t in_image = s.in_h * s.in_w * s.channels;
  const int64_t out_image = s.out_h * s.out_w * s.y.stride;
  while (begin < end) {
    const int64_t image = begin / s.out_h;
    const int64_t first = begin - image * s.out_h;
    const int64_t last = end - begin < s.out_h - first ? first + end - begin : s.out_h;
    const Pool<T> p{.x = x + image * in_image,
                    .y = y + image * out_image,
                    .in_width = static_cast<size_t>(s.in_w),
                    .out_width = static_cast<size_t>(s.out_w),
                    .channels = static_cast<size_t>(s.channels),
                    .y_stride = static_cast<size_t>(s.y.stride),
                    .rows = s.rows.view(),
                    .columns = s.columns.view()};
    function(p, static_cast<size_t>(first), static_cast<size_t>(last));
    begin += last - first;
  }
}

template <class T>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  if (s.reduce != nullptr) {
    return run_whole(call, s, call.in[0].as<const float>(), call.out[0].as<float>() + s.y.start);
  }
  // Fewer bytes are less work.
  const int64_t cost = s.out_w * s.channels * s.window * static_cast<int64_t>(sizeof(T)) / 4;
  call.pool->parallel_for(s.batch * s.out_h, grain_of(cost),
                          [&](int64_t begin, int64_t end) { run_rows<T>(call, begin, end); });
}

/// Images with the channels last, by memory order or by the operator's own format.
template <Isa kIsa>
struct IsaKernels {
  template <class T>
  static constexpr std::array<KernelDef, 2> of() {
    constexpr bool kInt8 = std::is_same_v<T, int8_t>;
    KernelDef k{.name = kernel_name<Pool2d, kIsa>(),
                .op = &kOpSchema<Pool2d>,
                .capability = kIsa,
                .layout = LayoutRule::kChannelsLast,
                .types = kInt8 ? TypeRule{.operands = DType::kInt8, .results = DType::kInt8} : kFloat32Rule,
                .strided = true,
                .fits = kInt8 ? fits_int8 : fits,
                .prepare = prepare,
                .run = run<T>,
                .run_rows = run_rows<T>};
    KernelDef by_shape = k;
    by_shape.layout = LayoutRule::kRowMajor;
    by_shape.strided = false;
    by_shape.run_rows = nullptr;
    return {k, by_shape};
  }
  static constexpr auto kKernels = kernel_table_detail::join(of<float>(), of<int8_t>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::pool
