// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "ops/detection/boxes.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// Boxes [..., 4] cut to their image; im_info has height, width and scale of each image, the offsets of the boxes tell
/// which they belong to.
struct BoxClip {
  static constexpr const char* kName = "box_clip";
  static constexpr const char* kLegacy[] = {"box_clip"};
  static constexpr Port kInputs[] = {in("input", "Input"), in("im_info", "ImInfo")};
  static constexpr Port kOutputs[] = {out("output", "Output")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const BoxClip&, const BoxClip&) = default;
};

inline void infer(const BoxClip&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& info = a.shape(1);
  require(is_float(a.dtype(0)) && is_float(a.dtype(1)), "boxes are ", a.dtype(0), " and im_info ", a.dtype(1));
  require(!x.rank_known() || (x.rank() >= 2 && (x.back() < 0 || x.back() == 4)), "boxes are ", x,
          ", expected [..., 4]");
  require(!info.rank_known() || (info.rank() == 2 && (info[1] < 0 || info[1] == 3)), "im_info is ", info,
          ", expected [N, 3]");
  a.set(0, a.dtype(0), x);
}

inline void reference(const BoxClip&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = sequence_offsets(a.in(0).lod(), a.shape(0)[0]);
  require(static_cast<int64_t>(offsets.size()) - 1 <= a.shape(1)[0], ErrorCode::kRunFailure, "there are boxes of ",
          offsets.size() - 1, " images, but im_info is ", a.shape(1));
  const Buffer<double> info = a.doubles(1);
  Buffer<double> boxes = a.doubles(0);
  const int64_t row = a.shape(0).count(1, a.shape(0).rank());
  for (size_t n = 0; n + 1 < offsets.size(); ++n) {
    const double* image = info.data() + n * 3;
    const double limit[2] = {std::round(image[1] / image[2]) - 1, std::round(image[0] / image[2]) - 1};
    for (int64_t i = offsets[n] * row; i < offsets[n + 1] * row; ++i) {
      double& v = boxes[static_cast<size_t>(i)];
      v = std::max(std::min(v, limit[i % 2]), 0.0);
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(boxes));
}

inline constexpr const OpSchema* box_clip_op = &kOpSchema<BoxClip>;

}  // namespace coracle::internal
