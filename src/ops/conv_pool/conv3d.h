// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/convolution.h"
#include "ops/conv_pool/convolution_lowering.h"

namespace coracle::internal {

/// Cross-correlation of a volume with filter [out channels, in channels / groups, depth, height, width].
struct Conv3d : ConvolutionAttributes {
  static constexpr const char* kName = "conv3d";
  static constexpr const char* kLegacy[] = {"conv3d"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  Conv3d() : ConvolutionAttributes(3) {}
  static void lower(Lowering& l) { lower_convolution(l, *find_op(kName)); }
  friend bool operator==(const Conv3d&, const Conv3d&) = default;
};

inline void infer(const Conv3d& op, InferArgs& a) { infer_convolution(op, a, 3); }

inline void reference(const Conv3d& op, ReferenceArgs& a) {
  reference_convolution(a.context(), op, a.in(0), a.in(1), a.out(0), 3);
}

inline int64_t flops(const Conv3d&, const NodeFacts& f) { return convolution_flops(f); }

inline constexpr const OpSchema* conv3d_op = &kOpSchema<Conv3d>;

}  // namespace coracle::internal
