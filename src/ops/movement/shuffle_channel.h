// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Channels (dimension 1) in `group` rows, read by columns.
struct ShuffleChannel {
  static constexpr const char* kName = "shuffle_channel";
  static constexpr const char* kLegacy[] = {"shuffle_channel"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int group = 1;
  void attributes(AttributeVisitor& visit) { visit("group", group); }
  friend bool operator==(const ShuffleChannel&, const ShuffleChannel&) = default;
};

inline void infer(const ShuffleChannel& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  divided(x[1], op.group, "group");
  a.set(0, a.dtype(0), x);
}

inline void reference(const ShuffleChannel& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  rearrange(a.context(), a.in(0), {x[0], op.group, x[1] / op.group, x[2] * x[3]}, {0, 2, 1, 3}, a.out(0));
}

inline constexpr const OpSchema* shuffle_channel_op = &kOpSchema<ShuffleChannel>;

}  // namespace coracle::internal
