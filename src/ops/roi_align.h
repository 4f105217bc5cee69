// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/convert.h"
#include "ops/common/regions.h"

namespace coracle {

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

/// x at a place between elements; 0 more than one element outside.
template <class T>
double sample_plane(const T* x, int64_t height, int64_t width, double row, double column) {
  if (!(row >= -1 && row <= static_cast<double>(height) && column >= -1 && column <= static_cast<double>(width))) {
    return 0;
  }
  row = std::clamp(row, 0.0, static_cast<double>(height - 1));
  column = std::clamp(column, 0.0, static_cast<double>(width - 1));
  const auto top = static_cast<int64_t>(row);
  const auto left = static_cast<int64_t>(column);
  const int64_t bottom = std::min(top + 1, height - 1);
  const int64_t right = std::min(left + 1, width - 1);
  const double down = row - static_cast<double>(top);
  const double across = column - static_cast<double>(left);
  const auto at = [&](int64_t i, int64_t j) { return static_cast<double>(x[i * width + j]); };
  return (1 - down) * ((1 - across) * at(top, left) + across * at(top, right)) +
         down * ((1 - across) * at(bottom, left) + across * at(bottom, right));
}

inline void reference(const RoiAlign& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const Buffer<double> boxes = doubles_of(a.in(1));
  const std::vector<int64_t> images = images_of_regions(a);
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
      const double cell_height = height / op.pooled_height;
      const double cell_width = width / op.pooled_width;
      const auto count = static_cast<double>(std::max<int64_t>(down * across, 1));
      for (int64_t c = 0; c < s[1]; ++c) {
        const T* x = a.in(0).data<T>() + (images[r] * s[1] + c) * s[2] * s[3];
        for (int i = 0; i < op.pooled_height; ++i) {
          for (int j = 0; j < op.pooled_width; ++j) {
            double sum = 0;
            for (int64_t y = 0; y < down; ++y) {
              const double row = top + cell_height * (i + (static_cast<double>(y) + 0.5) / static_cast<double>(down));
              for (int64_t z = 0; z < across; ++z) {
                const double column =
                    left + cell_width * (j + (static_cast<double>(z) + 0.5) / static_cast<double>(across));
                sum += sample_plane(x, s[2], s[3], row, column);
              }
            }
            *to++ = static_cast<T>(sum / count);
          }
        }
      }
    }
  });
}

inline constexpr const OpRow* roi_align_op = &kOpRow<RoiAlign>;

}  // namespace coracle
