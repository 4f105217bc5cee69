// SPDX-License-Identifier: Apache-2.0
#include "ops/interp/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "base/convert.h"
#include "base/counted.h"
#include "base/long_loop.h"

namespace coracle::internal {

float grid_position(const GridSample& op, float coordinate, int64_t n) {
  constexpr float kFar = 1e9F;
  const auto last = static_cast<float>(n - 1);
  float at = op.align_corners ? (coordinate + 1.0F) * 0.5F * last : (coordinate + 1.0F) * (last + 1.0F) * 0.5F - 0.5F;
  if (op.padding_mode == GridPadding::kReflection) {
    if (op.align_corners) {
      const float twice = last * 2.0F;
      const float distance = std::fabs(at);
      const float extra = n == 1 ? 0.0F : distance - std::floor(distance / twice) * twice;
      at = std::min(extra, twice - extra);
    } else {
      const float twice = (last + 1.0F) * 2.0F;
      const float distance = std::fabs(at + 0.5F);
      const float extra = distance - std::floor(distance / twice) * twice;
      at = std::min(extra, twice - extra) - 0.5F;
    }
  }
  if (op.padding_mode != GridPadding::kZeros) at = std::min(std::max(at, 0.0F), last);
  if (at != at) return -kFar;
  return std::clamp(at, -kFar, kFar);
}

void infer(const GridSample&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& grid = a.shape(1);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(a.dtype(0) == a.dtype(1), "x is ", a.dtype(0), ", but grid is ", a.dtype(1));
  const int rank = x.rank_known() ? x.rank() : grid.rank();
  if (rank < 0) {
    a.set(0, a.dtype(0), x);
    return;
  }
  require(rank == 4 || rank == 5, "x or grid has ", counted(rank, "dimension"), ", expected 4 or 5");
  Shape y = Shape::filled(rank, Shape::kUnknown);
  if (x.rank_known()) {
    y[0] = x[0];
    y[1] = x[1];
    for (int i = 2; i < rank; ++i) require(x[i] != 0, "x ", x, " has no elements to sample");
  }
  if (grid.rank_known()) {
    require(grid.rank() == rank, "x ", x, " and grid ", grid, " differ in rank");
    require(grid.back() < 0 || grid.back() == rank - 2, "grid ", grid, " has ", grid.back(),
            " coordinates for a position, expected ", rank - 2);
    require(y[0] < 0 || grid[0] < 0 || y[0] == grid[0], "x ", x, " and grid ", grid, " differ in batch size");
    if (y[0] < 0) y[0] = grid[0];
    for (int i = 1; i < rank - 1; ++i) y[i + 1] = grid[i];
  }
  a.set(0, a.dtype(0), y);
}

namespace {

/// One dimension's neighbours of a position.
struct Neighbours {
  int count = 0;
  int64_t index[2] = {};
  float weight[2] = {};
};

Neighbours neighbours(const GridSample& op, float at) {
  if (op.mode == GridSampleMode::kNearest) return {1, {position(std::round(at))}, {1}};
  const float low = std::floor(at);
  const float rest = at - low;
  return {2, {position(low), position(low) + 1}, {1 - rest, rest}};
}

}  // namespace

void reference(const GridSample& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.out(0).shape();
  const int spatial = x.rank() - 2;
  const int64_t channels = x[1];
  const int64_t depth = spatial == 3 ? x[2] : 1;
  const int64_t height = x[spatial == 3 ? 3 : 2];
  const int64_t width = x.back();
  const int64_t volume = depth * height * width;
  const int64_t points = y.count(2, y.rank());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (int64_t n = 0; n < x[0]; ++n) {
      for (int64_t i = 0; i < points; ++i) {
        check.step(8 * channels);
        const T* at = a.in(1).data<T>() + (n * points + i) * spatial;
        const Neighbours w = neighbours(op, grid_position(op, static_cast<float>(at[0]), width));
        const Neighbours h = neighbours(op, grid_position(op, static_cast<float>(at[1]), height));
        Neighbours d{1, {0}, {1}};
        if (spatial == 3) d = neighbours(op, grid_position(op, static_cast<float>(at[2]), depth));
        for (int64_t c = 0; c < channels; ++c) {
          const T* from = a.in(0).data<T>() + (n * channels + c) * volume;
          double sum = 0;
          for (int z = 0; z < d.count; ++z) {
            for (int r = 0; r < h.count; ++r) {
              for (int q = 0; q < w.count; ++q) {
                const bool inside = d.index[z] >= 0 && d.index[z] < depth && h.index[r] >= 0 && h.index[r] < height &&
                                    w.index[q] >= 0 && w.index[q] < width;
                if (!inside) continue;
                const double weight = static_cast<double>(d.weight[z]) * static_cast<double>(h.weight[r]) *
                                      static_cast<double>(w.weight[q]);
                sum += weight * static_cast<double>(from[(d.index[z] * height + h.index[r]) * width + w.index[q]]);
              }
            }
          }
          a.out(0).data<T>()[(n * channels + c) * points + i] = static_cast<T>(sum);
        }
      }
    }
  });
}

}  // namespace coracle::internal
