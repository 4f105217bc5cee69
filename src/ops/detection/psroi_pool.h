// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/convert.h"
#include "ops/detection/regions.h"

namespace coracle::internal {

/// Position-sensitive means of x [N, output_channels * pooled_height * pooled_width, H, W] in each cell of a grid over
/// each region [R, 4]: a cell has its own channel. 0 for a cell outside of x.
struct PsroiPool {
  static constexpr const char* kName = "psroi_pool";
  static constexpr const char* kLegacy[] = {"psroi_pool"};
  static constexpr Port kInputs[] = {in("x", "X"), in("boxes", "ROIs"), optional_in("boxes_num", "RoisNum")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int pooled_height = 1;
  int pooled_width = 1;
  int output_channels = 1;
  float spatial_scale = 1;
  void attributes(AttributeVisitor& visit) {
    visit("pooled_height", pooled_height);
    visit("pooled_width", pooled_width);
    visit("output_channels", output_channels);
    visit("spatial_scale", spatial_scale);
  }
  friend bool operator==(const PsroiPool&, const PsroiPool&) = default;
};

inline void infer(const PsroiPool& op, InferArgs& a) {
  require(op.output_channels > 0, "output_channels is ", op.output_channels);
  infer_region_pooling(a, op.pooled_height, op.pooled_width, op.output_channels);
  const Shape& x = a.shape(0);
  const int64_t channels = checked_multiply(checked_multiply(op.output_channels, op.pooled_height), op.pooled_width);
  require(!x.rank_known() || x[1] < 0 || x[1] == channels, "x has ", x.rank_known() ? x[1] : 0,
          " channels, expected output_channels * pooled_height * pooled_width = ", channels);
}

inline void reference(const PsroiPool& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const std::vector<int64_t> images = images_of_regions(a);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    // Which elements belong to a cell depends on the precision of its edges.
    using Edge = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const auto cells = [](Edge start, Edge cell, int count, int64_t size) {
      const auto within = [size](Edge at) { return position(std::clamp(at, Edge(0), static_cast<Edge>(size))); };
      std::vector<CellRange> ranges;
      for (int i = 0; i < count; ++i) {
        ranges.push_back({within(std::floor(static_cast<Edge>(i) * cell + start)),
                          within(std::ceil(static_cast<Edge>(i + 1) * cell + start))});
      }
      return ranges;
    };
    T* to = a.out(0).data<T>();
    for (size_t r = 0; r < images.size(); ++r) {
      const T* box = a.in(1).data<T>() + r * 4;
      const auto edge = [&](int i, Edge more) {
        return (std::round(static_cast<Edge>(box[i])) + more) * static_cast<Edge>(op.spatial_scale);
      };
      const Edge left = edge(0, 0);
      const Edge top = edge(1, 0);
      const Edge cell_width = std::max(edge(2, 1) - left, Edge(0.1)) / static_cast<Edge>(op.pooled_width);
      const Edge cell_height = std::max(edge(3, 1) - top, Edge(0.1)) / static_cast<Edge>(op.pooled_height);
      const std::vector<CellRange> rows = cells(top, cell_height, op.pooled_height, s[2]);
      const std::vector<CellRange> columns = cells(left, cell_width, op.pooled_width, s[3]);
      const T* x = a.in(0).data<T>() + images[r] * s[1] * s[2] * s[3];
      for (int c = 0; c < op.output_channels; ++c) {
        for (const CellRange& down : rows) {
          for (const CellRange& across : columns) {
            double sum = 0;
            for (int64_t y = down.begin; y < down.end; ++y) {
              for (int64_t z = across.begin; z < across.end; ++z) sum += static_cast<double>(x[y * s[3] + z]);
            }
            const int64_t area = (down.end - down.begin) * (across.end - across.begin);
            const bool empty = down.end <= down.begin || across.end <= across.begin;
            *to++ = static_cast<T>(empty ? 0.0 : sum / static_cast<double>(area));
            x += s[2] * s[3];
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* psroi_pool_op = &kOpSchema<PsroiPool>;

}  // namespace coracle::internal
