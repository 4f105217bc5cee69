// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal {

/// conv2d whose taps are moved: tap t of deformable group g reads at its position plus offset channels
/// (2 * (g * taps + t), + 1) = (y, x), by bilinear interpolation with zeros outside, times mask channel g * taps + t.
/// The first version has no mask.
struct DeformableConv {
  static constexpr const char* kName = "deformable_conv";
  static constexpr const char* kLegacy[] = {"deformable_conv", "deformable_conv_v1"};
  static constexpr Port kInputs[] = {in("x", "Input"), in("offset", "Offset"), weight_in("filter", "Filter"),
                                     optional_in("mask", "Mask")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  Ints strides = {1, 1};
  Ints paddings = {0, 0};
  Ints dilations = {1, 1};
  int deformable_groups = 1;
  int groups = 1;
  void attributes(AttributeVisitor& visit) {
    visit("strides", strides);
    visit("paddings", paddings);
    visit("dilations", dilations);
    visit("deformable_groups", deformable_groups);
    visit("groups", groups);
  }
  ConvolutionAttributes convolution() const {
    ConvolutionAttributes c(2);
    c.strides = strides;
    c.paddings = paddings;
    c.dilations = dilations;
    c.groups = groups;
    return c;
  }
  friend bool operator==(const DeformableConv&, const DeformableConv&) = default;
};

/// Both defined in src/ops/conv_pool/deformable_conv.cc.
void infer(const DeformableConv& op, InferArgs& a);
void reference(const DeformableConv& op, ReferenceArgs& a);

inline constexpr const OpSchema* deformable_conv_op = &kOpSchema<DeformableConv>;

}  // namespace coracle::internal
