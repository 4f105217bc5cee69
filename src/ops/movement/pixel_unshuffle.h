// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Every square of r by r pixels becomes r * r channels (r = downscale_factor).
struct PixelUnshuffle {
  static constexpr const char* kName = "pixel_unshuffle";
  static constexpr const char* kLegacy[] = {"pixel_unshuffle"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int downscale_factor = 1;
  std::string data_format = "NCHW";
  void attributes(AttributeVisitor& visit) {
    visit("downscale_factor", downscale_factor);
    visit("data_format", data_format);
  }
  friend bool operator==(const PixelUnshuffle&, const PixelUnshuffle&) = default;
};

inline void infer(const PixelUnshuffle& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  const int64_t r = op.downscale_factor;
  const int height = channels_are_last(op.data_format) ? 1 : 2;
  Shape y = x;
  y[height] = divided(x[height], r, "downscale_factor");
  y[height + 1] = divided(x[height + 1], r, "downscale_factor");
  const int channels = channels_are_last(op.data_format) ? 3 : 1;
  y[channels] = multiplied(x[channels], r * r);
  a.set(0, a.dtype(0), y);
}

inline void reference(const PixelUnshuffle& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const int64_t r = op.downscale_factor;
  if (channels_are_last(op.data_format)) {
    rearrange(a.context(), a.in(0), {x[0], x[1] / r, r, x[2] / r, r, x[3]}, {0, 1, 3, 5, 2, 4}, a.out(0));
  } else {
    rearrange(a.context(), a.in(0), {x[0], x[1], x[2] / r, r, x[3] / r, r}, {0, 1, 3, 5, 2, 4}, a.out(0));
  }
}

inline constexpr const OpSchema* pixel_unshuffle_op = &kOpSchema<PixelUnshuffle>;

}  // namespace coracle::internal
