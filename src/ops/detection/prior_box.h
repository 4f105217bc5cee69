// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/detection/anchors.h"

namespace coracle::internal {

/// Boxes of the given sizes and aspect ratios around each place of a feature map [N, C, H, W], as fractions of the
/// image.
struct PriorBox {
  static constexpr const char* kName = "prior_box";
  static constexpr const char* kLegacy[] = {"prior_box"};
  static constexpr Port kInputs[] = {in("input", "Input"), in("image", "Image")};
  static constexpr Port kOutputs[] = {out("out", "Boxes"), out("var", "Variances")};
  Floats min_sizes;
  Floats max_sizes;
  Floats aspect_ratios;
  Floats variances;
  bool flip = true;
  bool clip = true;
  float step_w = 0;
  float step_h = 0;
  float offset = 0.5F;
  bool min_max_aspect_ratios_order = false;
  void attributes(AttributeVisitor& visit) {
    visit("min_sizes", min_sizes);
    visit("max_sizes", max_sizes);
    visit("aspect_ratios", aspect_ratios);
    visit("variances", variances);
    visit("flip", flip);
    visit("clip", clip);
    visit("step_w", step_w);
    visit("step_h", step_h);
    visit("offset", offset);
    visit("min_max_aspect_ratios_order", min_max_aspect_ratios_order);
  }
  friend bool operator==(const PriorBox&, const PriorBox&) = default;
};

/// Half width and height of each box around a place, in pixels.
inline std::vector<HalfSize> prior_sizes(const PriorBox& op) {
  constexpr double kSame = 1e-6;
  Floats ratios{1.0};
  for (double ratio : op.aspect_ratios) {
    bool known = false;
    for (double r : ratios) known = known || std::fabs(r - ratio) < kSame;
    if (known) continue;
    ratios.push_back(ratio);
    if (op.flip) ratios.push_back(1.0 / ratio);
  }
  std::vector<HalfSize> sizes;
  for (size_t i = 0; i < op.min_sizes.size(); ++i) {
    const double least = op.min_sizes[i];
    const auto add_largest = [&] {
      if (op.max_sizes.empty()) return;
      const double half = std::sqrt(least * op.max_sizes[i]) / 2;
      sizes.push_back({half, half});
    };
    const auto add_ratio = [&](double ratio) {
      sizes.push_back({least * std::sqrt(ratio) / 2, least / std::sqrt(ratio) / 2});
    };
    if (op.min_max_aspect_ratios_order) {
      sizes.push_back({least / 2, least / 2});
      add_largest();
      for (double ratio : ratios) {
        if (std::fabs(ratio - 1) >= kSame) add_ratio(ratio);
      }
    } else {
      for (double ratio : ratios) add_ratio(ratio);
      add_largest();
    }
  }
  return sizes;
}

inline void infer(const PriorBox& op, InferArgs& a) {
  require(op.max_sizes.empty() || op.max_sizes.size() == op.min_sizes.size(), "there are ", op.max_sizes.size(),
          " max_sizes, but ", op.min_sizes.size(), " min_sizes");
  for (double ratio : op.aspect_ratios) require(ratio > 0, "an aspect ratio is ", ratio);
  infer_anchors(a, op.variances, prior_sizes(op).size());
}

inline void reference(const PriorBox& op, ReferenceArgs& a) {
  const ImageGrid grid(a.shape(0), a.shape(1), op.step_w, op.step_h);
  const std::vector<HalfSize> sizes = prior_sizes(op);
  write_anchors(op.variances, a, [&](const auto& add) {
    for (int64_t y = 0; y < grid.rows; ++y) {
      const double center_y = (static_cast<double>(y) + op.offset) * grid.step_h;
      for (int64_t x = 0; x < grid.columns; ++x) {
        const double center_x = (static_cast<double>(x) + op.offset) * grid.step_w;
        for (const HalfSize& half : sizes) add(fraction_box(grid, center_x, center_y, half, op.clip));
      }
    }
  });
}

inline constexpr const OpSchema* prior_box_op = &kOpSchema<PriorBox>;

}  // namespace coracle::internal
