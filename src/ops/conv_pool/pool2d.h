// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/pooling.h"

namespace coracle::internal {

/// Maximum or average of the windows of each channel of an image. The result of adaptive pooling has kernel_size
/// elements, with windows that divide the input as evenly as possible.
struct Pool2d : PoolingAttributes {
  static constexpr const char* kName = "pool2d";
  static constexpr const char* kLegacy[] = {"pool2d"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("kernel_size", "ksize")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Pool2d() : PoolingAttributes(2) {}
  friend bool operator==(const Pool2d&, const Pool2d&) = default;
};

inline void infer(const Pool2d& op, InferArgs& a) {
  const std::optional<Ints> kernel = a.ints(1);
  infer_pooling(op, kernel ? &*kernel : nullptr, a, 2);
}

inline void reference(const Pool2d& op, ReferenceArgs& a) {
  reference_pooling(a.context(), op, a.has(1) ? a.in(1).integers(a.context()) : Ints{}, a.in(0), a.out(0), 2);
}

inline constexpr const OpSchema* pool2d_op = &kOpSchema<Pool2d>;

}  // namespace coracle::internal
