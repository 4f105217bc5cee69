// SPDX-License-Identifier: Apache-2.0
#include "ops/interp/grid_sample.h"

#include <cmath>

#include "base/convert.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"

/// Reads images and volumes, channels-last, at given positions: each result pixel is a weighted sum of pixels.
namespace coracle::internal::cpu::kernels::grid_sample {
namespace {

struct State {
  const LinesFunctions* lines = nullptr;
  int spatial = 2;
  int64_t channels = 0;
  int64_t in[3] = {1, 1, 1};  ///< depth, height, width
  int64_t points = 0;         ///< of an image of the result
  int64_t out[3] = {1, 1, 1};
  int64_t grid_step[3] = {};  ///< of the grid [N, D, H, W, spatial], in elements, by dimension of the result
  int64_t grid_image = 0;
  int64_t grid_coordinate = 0;
};

RejectionReason fits(const void*, const ArgFacts& args) {
  return args.out().shape.count() == 0 || args.shape(0).count() == 0 ? "no elements" : nullptr;
}

Prepared prepare(const void*, const ArgFacts& args, PrepareContext&) {
  const Shape& x = args.shape(0);
  const Shape& y = args.out().shape;
  State s;
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.spatial = x.rank() - 2;
  s.channels = x[1];
  s.points = y.count(2, y.rank());
  // The grid is an operand like others: it may stand with its second dimension last.
  const MemoryOrder grid(args.in(1));
  for (int d = 0; d < s.spatial; ++d) {
    const int to = 3 - s.spatial + d;
    s.in[to] = x[2 + d];
    s.out[to] = y[2 + d];
    s.grid_step[to] = grid.stride[1 + d];
  }
  s.grid_image = grid.stride[0];
  s.grid_coordinate = grid.stride[1 + s.spatial];
  return prepared(s);
}

/// The pixels along one axis that a position falls between, inside of the image.
struct Neighbours {
  int count = 0;
  int64_t index[2] = {};
  float weight[2] = {};

  void add(float at, float share, int64_t size) {
    const int64_t i = position(at);
    if (i < 0 || i >= size) return;
    index[count] = i;
    weight[count++] = share;
  }
};

Neighbours neighbours(const GridSample& op, float coordinate, int64_t size) {
  const float at = grid_position(op, coordinate, size);
  Neighbours n;
  if (op.mode == GridSampleMode::kNearest) {
    n.add(std::round(at), 1, size);
  } else {
    const float low = std::floor(at);
    n.add(low, 1 - (at - low), size);
    n.add(low + 1, at - low, size);
  }
  return n;
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto& op = call.attributes<GridSample>();
  const auto* x = call.in[0].as<const float>();
  const auto* grid = call.in[1].as<const float>();
  auto* y = call.out[0].as<float>();
  const int64_t batch = call.in[0].fact->shape[0];
  const int64_t image = s.in[0] * s.in[1] * s.in[2] * s.channels;
  call.pool->parallel_for(batch * s.points, grain_of(8 * s.channels + 64), [&](int64_t begin, int64_t end) {
    int64_t offsets[8];
    float weights[8];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / s.points;
      const int64_t column = i % s.out[2];
      const int64_t row = i / s.out[2] % s.out[1];
      const int64_t plane = i / (s.out[1] * s.out[2]) % s.out[0];
      const float* at =
          grid + n * s.grid_image + plane * s.grid_step[0] + row * s.grid_step[1] + column * s.grid_step[2];
      const Neighbours across = neighbours(op, at[0], s.in[2]);
      const Neighbours down = neighbours(op, at[s.grid_coordinate], s.in[1]);
      Neighbours deep{1, {0}, {1}};
      if (s.spatial == 3) deep = neighbours(op, at[2 * s.grid_coordinate], s.in[0]);
      WeightedLines p{.x = x + n * image, .offsets = offsets, .weights = weights, .y = y + i * s.channels};
      p.channels = static_cast<size_t>(s.channels);
      for (int d = 0; d < deep.count; ++d) {
        for (int r = 0; r < down.count; ++r) {
          for (int c = 0; c < across.count; ++c) {
            offsets[p.count] = ((deep.index[d] * s.in[1] + down.index[r]) * s.in[2] + across.index[c]) * s.channels;
            weights[p.count++] = deep.weight[d] * down.weight[r] * across.weight[c];
          }
        }
      }
      s.lines->sum(p);
    }
  });
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<GridSample, kIsa>(),
                                                                  .op = &kOpSchema<GridSample>,
                                                                  .capability = kIsa,
                                                                  .layout = LayoutRule::kChannelsLast,
                                                                  .fits = fits,
                                                                  .prepare = prepare,
                                                                  .run = run}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::grid_sample
