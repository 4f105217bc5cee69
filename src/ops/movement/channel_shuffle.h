// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Channels in `groups` rows, read by columns.
struct ChannelShuffle {
  static constexpr const char* kName = "channel_shuffle";
  static constexpr const char* kLegacy[] = {"channel_shuffle"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int groups = 1;
  std::string data_format = "NCHW";
  void attributes(AttributeVisitor& visit) {
    visit("groups", groups);
    visit("data_format", data_format);
  }
  friend bool operator==(const ChannelShuffle&, const ChannelShuffle&) = default;
};

inline void infer(const ChannelShuffle& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  divided(x[channels_are_last(op.data_format) ? 3 : 1], op.groups, "groups");
  a.set(0, a.dtype(0), x);
}

inline void reference(const ChannelShuffle& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const int64_t g = op.groups;
  if (channels_are_last(op.data_format)) {
    rearrange(a.context(), a.in(0), {x[0] * x[1] * x[2], g, x[3] / g}, {0, 2, 1}, a.out(0));
  } else {
    rearrange(a.context(), a.in(0), {x[0], g, x[1] / g, x[2] * x[3]}, {0, 2, 1, 3}, a.out(0));
  }
}

inline constexpr const OpSchema* channel_shuffle_op = &kOpSchema<ChannelShuffle>;

}  // namespace coracle::internal
