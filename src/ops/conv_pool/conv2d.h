// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/convolution.h"
#include "ops/conv_pool/convolution_lowering.h"

namespace coracle::internal {

/// Cross-correlation of an image with filter [out channels, in channels / groups, height, width].
struct Conv2d : ConvolutionAttributes {
  static constexpr const char* kName = "conv2d";
  static constexpr const char* kLegacy[] = {"conv2d"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  Conv2d() : ConvolutionAttributes(2) {}
  static void lower(Lowering& l) { lower_convolution(l, *find_op(kName)); }
  friend bool operator==(const Conv2d&, const Conv2d&) = default;
};

inline void infer(const Conv2d& op, InferArgs& a) { infer_convolution(op, a, 2); }

inline void reference(const Conv2d& op, ReferenceArgs& a) {
  reference_convolution(a.context(), op, a.in(0), a.in(1), a.out(0), 2);
}

inline int64_t flops(const Conv2d&, const NodeFacts& f) { return convolution_flops(f); }

inline constexpr const OpSchema* conv2d_op = &kOpSchema<Conv2d>;

}  // namespace coracle::internal
