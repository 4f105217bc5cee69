// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Every r * r channels become a square of r by r pixels (r = upscale_factor).
struct PixelShuffle {
  static constexpr const char* kName = "pixel_shuffle";
  static constexpr const char* kLegacy[] = {"pixel_shuffle"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int upscale_factor = 1;
  std::string data_format = "NCHW";
  void attributes(AttributeVisitor& visit) {
    visit("upscale_factor", upscale_factor);
    visit("data_format", data_format);
  }
  friend bool operator==(const PixelShuffle&, const PixelShuffle&) = default;
};

inline void infer(const PixelShuffle& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  const int64_t r = op.upscale_factor;
  require(r > 0, "upscale_factor is ", r, ", expected a positive number");
  if (channels_are_last(op.data_format)) {
    a.set(0, a.dtype(0),
          Shape{x[0], multiplied(x[1], r), multiplied(x[2], r), divided(x[3], r * r, "upscale_factor squared")});
  } else {
    a.set(0, a.dtype(0),
          Shape{x[0], divided(x[1], r * r, "upscale_factor squared"), multiplied(x[2], r), multiplied(x[3], r)});
  }
}

inline void reference(const PixelShuffle& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const int64_t r = op.upscale_factor;
  if (channels_are_last(op.data_format)) {
    rearrange(a.context(), a.in(0), {x[0], x[1], x[2], x[3] / (r * r), r, r}, {0, 1, 4, 2, 5, 3}, a.out(0));
  } else {
    rearrange(a.context(), a.in(0), {x[0], x[1] / (r * r), r, r, x[2], x[3]}, {0, 1, 4, 2, 5, 3}, a.out(0));
  }
}

inline constexpr const OpSchema* pixel_shuffle_op = &kOpSchema<PixelShuffle>;

}  // namespace coracle::internal
