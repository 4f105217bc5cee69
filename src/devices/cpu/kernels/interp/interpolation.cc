// SPDX-License-Identifier: Apache-2.0
#include "ops/interp/interpolation.h"

#include <vector>

#include "base/buffer.h"
#include "base/deadline.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/interp/bicubic_interp.h"
#include "ops/interp/legacy_bicubic_interp.h"
#include "ops/interp/legacy_linear_interp.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/legacy_trilinear_interp.h"
#include "ops/interp/linear_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/trilinear_interp.h"

/// Resizing that resize.cc leaves: by cubic interpolation, and of lines and volumes. Each result pixel is a weighted
/// sum of pixels, channels-last.
namespace coracle::internal::cpu::kernels::interpolation {
namespace {

/// Most pixels that one result is made of: four by four.
constexpr size_t kMaxTaps = 16;
/// Results whose places are found, or which are computed, without a look at the time.
constexpr int64_t kCheckedSteps = 4096;

struct State {
  explicit State(const RunContext& run) : taps{Taps(run), Taps(run), Taps(run)} {}

  using Taps = Buffer<InterpolationTaps>;
  const LinesFunctions* lines = nullptr;
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t in_image = 0;  ///< floats
  int64_t out[3] = {1, 1, 1};
  Taps taps[3];  ///< by result along depth, height, width; indices as offsets in floats
};

std::optional<InterpolationRequest> request_of(const InterpolationOperator& op, const ArgFacts& args) {
  return interpolation_request(op, args.count(2), args.has(1), args.has(3),
                               [&](int port, int i) { return known_value(args, port, i); });
}

RejectionReason rejection_of(const InterpolationOperator& op, const InterpolationKind& kind, const ArgFacts& args) {
  const bool images = kind.method == InterpolationMethod::kNearest && args.shape(0).rank() == 4;
  if (images) return "images have rows of their own";
  const bool by_shape = args.kernel().layout == LayoutRule::kRowMajor;
  if (is_channels_last(op.format()) != by_shape) return "the channels lie elsewhere";
  if (args.shape(0).count() == 0) return "no elements";
  return request_of(op, args) ? nullptr : "the size is not known while planning";
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return rejection_of(*static_cast<const Op*>(op), Op::kKind, args);
}

Prepared prepared_taps(const RunContext& run, const InterpolationOperator& op, const InterpolationKind& kind,
                       const ArgFacts& args) {
  const InterpolationGeometry g = interpolation_geometry(op, kind, args.shape(0), *request_of(op, args));
  State s(run);
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.batch = g.batch;
  s.channels = g.channels;
  int64_t step = g.channels;
  size_t extra = 0;
  for (int d = 2; d >= 0; --d) {
    const InterpolationAxis& axis = g.axes[d];
    s.out[d] = axis.out;
    s.taps[d].reserve(static_cast<size_t>(axis.out));
    for (int64_t i = 0; i < axis.out; ++i) {
      if (i % kCheckedSteps == 0) run.check();
      InterpolationTaps taps{.count = 1, .index = {i}, .weight = {1}};
      if (d >= 3 - g.spatial && !axis.copy) taps = interpolation_taps(kind.method, axis, i);
      for (int t = 0; t < taps.count; ++t) taps.index[t] *= step;
      s.taps[d].push_back(taps);
    }
    step *= axis.in;
    extra += s.taps[d].size() * sizeof(InterpolationTaps);
  }
  s.in_image = step;
  return prepared(std::move(s), 0, extra);
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepared_taps(*context.run, *static_cast<const Op*>(op), Op::kKind, args);
}

/// The products of two axes' taps; `count` so far.
size_t spread(const InterpolationTaps& taps, size_t count, int64_t* offsets, float* weights) {
  for (int t = taps.count - 1; t >= 0; --t) {
    for (size_t i = 0; i < count; ++i) {
      const size_t at = static_cast<size_t>(t) * count + i;
      offsets[at] = offsets[i] + taps.index[t];
      weights[at] = weights[i] * taps.weight[t];
    }
  }
  return count * static_cast<size_t>(taps.count);
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto* x = call.in[0].as<const float>();
  auto* y = call.out[0].as<float>();
  const int64_t row_floats = s.out[2] * s.channels;
  call.pool->parallel_for(s.batch * s.out[0] * s.out[1], grain_of(4 * row_floats), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t image = row / (s.out[0] * s.out[1]);
      int64_t above[kMaxTaps] = {0};
      float weight[kMaxTaps] = {1};
      size_t count = spread(s.taps[0][static_cast<size_t>(row / s.out[1] % s.out[0])], 1, above, weight);
      count = spread(s.taps[1][static_cast<size_t>(row % s.out[1])], count, above, weight);
      WeightedLines p{.x = x + image * s.in_image, .y = y + row * row_floats};
      p.channels = static_cast<size_t>(s.channels);
      for (int64_t column = 0; column < s.out[2]; ++column) {
        if (column % kCheckedSteps == kCheckedSteps - 1 && call.over()) return;
        const InterpolationTaps& across = s.taps[2][static_cast<size_t>(column)];
        int64_t offsets[kMaxTaps];
        float weights[kMaxTaps];
        std::copy(above, above + count, offsets);
        std::copy(weight, weight + count, weights);
        p.count = spread(across, count, offsets, weights);
        p.offsets = offsets;
        p.weights = weights;
        s.lines->sum(p);
        p.y += s.channels;
      }
    }
  });
}

/// Images with the channels last, by memory order or by the operator's own format.
template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> make_kernels() {
  KernelDef k{.name = kernel_name<Op, kIsa>(),
              .op = &kOpSchema<Op>,
              .capability = kIsa,
              .layout = LayoutRule::kChannelsLast,
              .rank = 1,
              .fits = fits<Op>,
              .prepare = prepare<Op>,
              .run = run};
  KernelDef by_shape = k;
  by_shape.layout = LayoutRule::kRowMajor;
  return {k, by_shape};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels =
      kernel_table_detail::join(make_kernels<BicubicInterp, kIsa>(), make_kernels<LinearInterp, kIsa>(),
                                make_kernels<TrilinearInterp, kIsa>(), make_kernels<NearestInterp, kIsa>(),
                                make_kernels<LegacyBicubicInterp, kIsa>(), make_kernels<LegacyLinearInterp, kIsa>(),
                                make_kernels<LegacyTrilinearInterp, kIsa>(), make_kernels<LegacyNearestInterp, kIsa>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::interpolation
