// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "plan/kernel.h"

namespace coracle::internal::cpu {

/// How the pixels of channels-last images follow each other, through all images: adjacent channels each.
struct PixelLine {
  int64_t start = 0;   ///< floats before the first one
  int64_t stride = 0;  ///< floats from pixel to pixel
};

/// Nothing if the pixels of an operand or result [n, c, h, w] do not lie so.
inline std::optional<PixelLine> pixel_line(const Fact& fact, const StridedView* view) {
  const Shape& s = fact.shape;
  if (view == nullptr) return PixelLine{0, s[1]};
  if (s[1] > 1 && view->step[1] != 1) return std::nullopt;
  const int inner = s[3] > 1 ? 3 : s[2] > 1 ? 2 : 0;  // dimensions of one pixel have no step
  const PixelLine line{view->start, s[inner] > 1 ? view->step[inner] : s[1]};
  const bool rows = s[2] == 1 || view->step[2] == s[3] * line.stride;
  const bool images = s[0] == 1 || view->step[0] == s[2] * s[3] * line.stride;
  if (!rows || !images || line.stride < s[1]) return std::nullopt;
  return line;
}

/// For kernels that take pixels so: operand 0 and the result; null if they lie otherwise.
inline RejectionReason pixels_rejection(const ArgFacts& args, bool operand_too = true) {
  for (size_t i = 0; i < args.all_in().size(); ++i) {
    if (args.view_flat(i) != nullptr && (i > 0 || !operand_too)) return "only images may be strided";
  }
  if (operand_too && !pixel_line(args.in(0), args.view_in(0))) return "pixels lie apart";
  return pixel_line(args.out(), args.view_out()) ? nullptr : "pixels lie apart";
}

}  // namespace coracle::internal::cpu
