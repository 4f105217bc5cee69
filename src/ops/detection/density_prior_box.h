// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/detection/anchors.h"

namespace coracle::internal {

/// Boxes of fixed sizes and aspect ratios around points that lie densely at each place of a feature map [N, C, H, W],
/// as fractions of the image: densities[i] squared points for fixed_sizes[i].
struct DensityPriorBox {
  static constexpr const char* kName = "density_prior_box";
  static constexpr const char* kLegacy[] = {"density_prior_box"};
  static constexpr Port kInputs[] = {in("input", "Input"), in("image", "Image")};
  static constexpr Port kOutputs[] = {out("boxes", "Boxes"), out("variances", "Variances")};
  Floats variances{0.1, 0.1, 0.2, 0.2};
  bool clip = true;
  bool flatten_to_2d = false;
  float step_w = 0;
  float step_h = 0;
  float offset = 0.5F;
  Floats fixed_sizes;
  Floats fixed_ratios;
  Ints densities;
  void attributes(AttributeVisitor& visit) {
    visit("variances", variances);
    visit("clip", clip);
    visit("flatten_to_2d", flatten_to_2d);
    visit("step_w", step_w);
    visit("step_h", step_h);
    visit("offset", offset);
    visit("fixed_sizes", fixed_sizes);
    visit("fixed_ratios", fixed_ratios);
    visit("densities", densities);
  }
  friend bool operator==(const DensityPriorBox&, const DensityPriorBox&) = default;
};

inline void infer(const DensityPriorBox& op, InferArgs& a) {
  require(op.fixed_sizes.size() == op.densities.size(), "there are ", op.fixed_sizes.size(), " fixed_sizes, but ",
          op.densities.size(), " densities");
  int64_t points = 0;
  for (int64_t density : op.densities) {
    require(density > 0, "a density is ", density);
    points = checked_add(points, checked_multiply(density, density));
  }
  for (double ratio : op.fixed_ratios) require(ratio > 0, "a ratio is ", ratio);
  const int64_t per_place = checked_multiply(points, static_cast<int64_t>(op.fixed_ratios.size()));
  infer_anchors(a, op.variances, static_cast<size_t>(per_place));
  if (!op.flatten_to_2d) return;
  const Shape y = a.out(0).shape;
  const int64_t rows = y.known() ? y.count(0, 3) : Shape::kUnknown;
  a.set(0, a.dtype(0), Shape{rows, 4});
  a.set(1, a.dtype(0), Shape{rows, 4});
}

inline void reference(const DensityPriorBox& op, ReferenceArgs& a) {
  const ImageGrid grid(a.shape(0), a.shape(1), op.step_w, op.step_h);
  // The distance between points is an integer of pixels.
  const double average = std::trunc((grid.step_w + grid.step_h) * 0.5);
  write_anchors(op.variances, a, [&](const auto& add) {
    for (int64_t row = 0; row < grid.rows; ++row) {
      for (int64_t column = 0; column < grid.columns; ++column) {
        const double center_x = (static_cast<double>(column) + op.offset) * grid.step_w;
        const double center_y = (static_cast<double>(row) + op.offset) * grid.step_h;
        for (size_t s = 0; s < op.fixed_sizes.size(); ++s) {
          const double shift = std::trunc(average / static_cast<double>(op.densities[s]));
          for (double ratio : op.fixed_ratios) {
            const HalfSize half{op.fixed_sizes[s] * std::sqrt(ratio) / 2, op.fixed_sizes[s] / std::sqrt(ratio) / 2};
            for (int64_t i = 0; i < op.densities[s]; ++i) {
              const double y = center_y - average / 2 + shift / 2 + static_cast<double>(i) * shift;
              for (int64_t j = 0; j < op.densities[s]; ++j) {
                const double x = center_x - average / 2 + shift / 2 + static_cast<double>(j) * shift;
                // Each corner is cut at the edge it is on; `clip` also at the other one.
                const std::array<double, 4> box = fraction_box(grid, x, y, half, op.clip);
                add({std::max(box[0], 0.0), std::max(box[1], 0.0), std::min(box[2], 1.0), std::min(box[3], 1.0)});
              }
            }
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* density_prior_box_op = &kOpSchema<DensityPriorBox>;

}  // namespace coracle::internal
