// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/convert.h"
#include "base/size.h"
#include "ops/detection/regions.h"

namespace coracle::internal {

/// The mean of interpolated samples of x [N, C, H, W] in each cell of a grid over each region [R, 4]. boxes_num tells
/// how many regions each image has; without it the offsets of the regions do.
struct RoiAlign {
  static constexpr const char* kName = "roi_align";
  static constexpr const char* kLegacy[] = {"roi_align"};
  static constexpr Port kInputs[] = {in("x", "X"), in("boxes", "ROIs"), optional_in("boxes_num", "RoisNum")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int pooled_height = 1;
  int pooled_width = 1;
  float spatial_scale = 1;
  int sampling_ratio = -1;
  bool aligned = false;
  void attributes(AttributeVisitor& visit) {
    visit("pooled_height", pooled_height);
    visit("pooled_width", pooled_width);
    visit("spatial_scale", spatial_scale);
    visit("sampling_ratio", sampling_ratio);
    visit("aligned", aligned);
  }
  friend bool operator==(const RoiAlign&, const RoiAlign&) = default;
};

inline void infer(const RoiAlign& op, InferArgs& a) { infer_region_pooling(a, op.pooled_height, op.pooled_width); }

/// The elements along one axis that the samples of a cell fall to.
struct SampledSpan {
  int64_t first = 0;
  int64_t count = 0;
};

/// What `samples` interpolated samples of each of `cells` cells from `first` on, each `cell` long, give the `size`
/// elements of an axis: weights of cell i from weights[i * size] on. Samples more than one element outside give
/// nothing.
template <class Weight>
void weigh_samples(double first, double cell, int cells, int64_t samples, int64_t size, Weight* weights,
                   SampledSpan* spans) {
  for (int i = 0; i < cells; ++i, weights += size) {
    int64_t low = size;
    int64_t high = -1;
    for (int64_t k = 0; k < samples && size > 0; ++k) {
      double at = first + cell * (i + (static_cast<double>(k) + 0.5) / static_cast<double>(samples));
      if (!(at >= -1 && at <= static_cast<double>(size))) continue;
      at = std::clamp(at, 0.0, static_cast<double>(size - 1));
      const auto lower = static_cast<int64_t>(at);
      const int64_t upper = std::min(lower + 1, size - 1);
      if (high < 0) low = high = lower, weights[lower] = 0;
      // Samples go on in one direction, which may be backwards for a region that is turned.
      while (high < upper) weights[++high] = 0;
      while (low > lower) weights[--low] = 0;
      const double rest = at - static_cast<double>(lower);
      weights[lower] += static_cast<Weight>(1 - rest);
      weights[upper] += static_cast<Weight>(rest);
    }
    spans[i] = {low, high < 0 ? 0 : high - low + 1};
  }
}

inline void reference(const RoiAlign& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const Buffer<double> boxes = a.doubles(1);
  const std::vector<int64_t> images = images_of_regions(a);
  // A sample is a product of what it takes along either axis, and so is the sum of all samples of a cell.
  Buffer<double> rows(static_cast<size_t>((Size(op.pooled_height) * s[2]).count()), a.context());
  Buffer<double> columns(static_cast<size_t>((Size(op.pooled_width) * s[3]).count()), a.context());
  Buffer<SampledSpan> row_spans(static_cast<size_t>(op.pooled_height), a.context());
  Buffer<SampledSpan> column_spans(static_cast<size_t>(op.pooled_width), a.context());
  const double shift = op.aligned ? 0.5 : 0.0;
  // No box needs more samples than this, and a mistaken one must not keep the machine busy.
  const auto samples = [&](double size, int cells) {
    const double wanted = op.sampling_ratio > 0 ? op.sampling_ratio : std::ceil(size / cells);
    return position(std::clamp(wanted, 0.0, 4096.0));
  };
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (size_t r = 0; r < images.size(); ++r) {
      const double* box = boxes.data() + r * 4;
      const double left = box[0] * op.spatial_scale - shift;
      const double top = box[1] * op.spatial_scale - shift;
      double width = box[2] * op.spatial_scale - shift - left;
      double height = box[3] * op.spatial_scale - shift - top;
      if (!op.aligned) {
        width = std::max(width, 1.0);
        height = std::max(height, 1.0);
      }
      const int64_t down = samples(height, op.pooled_height);
      const int64_t across = samples(width, op.pooled_width);
      weigh_samples(top, height / op.pooled_height, op.pooled_height, down, s[2], rows.data(), row_spans.data());
      weigh_samples(left, width / op.pooled_width, op.pooled_width, across, s[3], columns.data(), column_spans.data());
      const auto count = static_cast<double>(std::max<int64_t>(down * across, 1));
      for (int64_t c = 0; c < s[1]; ++c) {
        const T* x = a.in(0).data<T>() + (images[r] * s[1] + c) * s[2] * s[3];
        for (int i = 0; i < op.pooled_height; ++i) {
          for (int j = 0; j < op.pooled_width; ++j) {
            const SampledSpan& vertical = row_spans[static_cast<size_t>(i)];
            const SampledSpan& horizontal = column_spans[static_cast<size_t>(j)];
            double sum = 0;
            for (int64_t y = vertical.first; y < vertical.first + vertical.count; ++y) {
              double line = 0;
              for (int64_t z = horizontal.first; z < horizontal.first + horizontal.count; ++z) {
                line += columns[static_cast<size_t>(j * s[3] + z)] * static_cast<double>(x[y * s[3] + z]);
              }
              sum += rows[static_cast<size_t>(i * s[2] + y)] * line;
            }
            *to++ = static_cast<T>(sum / count);
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* roi_align_op = &kOpSchema<RoiAlign>;

}  // namespace coracle::internal
