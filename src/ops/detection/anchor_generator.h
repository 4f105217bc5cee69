// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/detection/anchors.h"

namespace coracle::internal {

/// Anchors of each ratio (height over width) and size around each place of a feature map, in pixels of the image.
struct AnchorGenerator {
  static constexpr const char* kName = "anchor_generator";
  static constexpr const char* kLegacy[] = {"anchor_generator"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("anchors", "Anchors"), out("variances_out", "Variances")};
  Floats anchor_sizes;
  Floats aspect_ratios;
  Floats variances;
  Floats stride{16.0, 16.0};
  float offset = 0.5F;
  void attributes(AttributeVisitor& visit) {
    visit("anchor_sizes", anchor_sizes);
    visit("aspect_ratios", aspect_ratios);
    visit("variances", variances);
    visit("stride", stride);
    visit("offset", offset);
  }
  friend bool operator==(const AnchorGenerator&, const AnchorGenerator&) = default;
};

inline void infer(const AnchorGenerator& op, InferArgs& a) {
  require(op.stride.size() == 2, "stride has ", op.stride.size(), " numbers, expected 2");
  for (double ratio : op.aspect_ratios) require(ratio > 0, "an aspect ratio is ", ratio);
  infer_anchors(a, op.variances, op.anchor_sizes.size() * op.aspect_ratios.size());
}

inline void reference(const AnchorGenerator& op, ReferenceArgs& a) {
  const double stride_x = op.stride[0];
  const double stride_y = op.stride[1];
  std::vector<HalfSize> halves;
  for (double ratio : op.aspect_ratios) {
    const double base_width = std::round(std::sqrt(stride_x * stride_y / ratio));
    const double base_height = std::round(base_width * ratio);
    for (double size : op.anchor_sizes) {
      halves.push_back({(size / stride_x * base_width - 1) / 2, (size / stride_y * base_height - 1) / 2});
    }
  }
  write_anchors(op.variances, a, [&](const auto& add) {
    for (int64_t y = 0; y < a.shape(0)[2]; ++y) {
      const double center_y = static_cast<double>(y) * stride_y + op.offset * (stride_y - 1);
      for (int64_t x = 0; x < a.shape(0)[3]; ++x) {
        const double center_x = static_cast<double>(x) * stride_x + op.offset * (stride_x - 1);
        for (const HalfSize& half : halves) {
          add({center_x - half.width, center_y - half.height, center_x + half.width, center_y + half.height});
        }
      }
    }
  });
}

inline constexpr const OpSchema* anchor_generator_op = &kOpSchema<AnchorGenerator>;

}  // namespace coracle::internal
