// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// The reorganisation of YOLO v2: the elements of x [n, c, h, w] are laid out as [n, c / b^2, h * b, w * b], channel
/// k * c / b^2 + j giving pixel k of the squares of channel j, and that memory is seen as [n, c * b^2, h / b, w / b].
struct SpaceToDepth {
  static constexpr const char* kName = "space_to_depth";
  static constexpr const char* kLegacy[] = {"space_to_depth"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int blocksize = 1;
  void attributes(AttributeVisitor& visit) { visit("blocksize", blocksize); }
  friend bool operator==(const SpaceToDepth&, const SpaceToDepth&) = default;
};

inline void infer(const SpaceToDepth& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  const int64_t b = op.blocksize;
  divided(x[1], b * b, "blocksize squared");
  a.set(0, a.dtype(0),
        Shape{x[0], multiplied(x[1], b * b), divided(x[2], b, "blocksize"), divided(x[3], b, "blocksize")});
}

inline void reference(const SpaceToDepth& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const int64_t b = op.blocksize;
  rearrange(a.context(), a.in(0), {x[0], b, b, x[1] / (b * b), x[2], x[3]}, {0, 3, 4, 1, 5, 2}, a.out(0));
}

inline constexpr const OpSchema* space_to_depth_op = &kOpSchema<SpaceToDepth>;

}  // namespace coracle::internal
