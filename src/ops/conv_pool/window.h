// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/shape.h"
#include "graph/attributes.h"

namespace coracle::internal {

enum class PaddingAlgorithm : uint8_t {
  kExplicit,  ///< as the paddings say
  kSame,      ///< the output has ceil(in / stride) elements; the odd pad comes after
  kValid,     ///< none
};

std::span<const std::string_view> names_of(PaddingAlgorithm);

/// One spatial dimension of a sliding window. `in` and `out` may be Shape::kUnknown while inferring.
/// Element `t` of window `o` is input element o * stride - pad_before + t * dilation.
struct WindowAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;

  /// Elements that a window spans.
  constexpr int64_t span() const { return dilation * (kernel - 1) + 1; }
  /// The range [first, last) of window elements t that lie inside the input for window `o`.
  constexpr int64_t first(int64_t o) const {
    const int64_t start = o * stride - pad_before;
    return start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  }
  constexpr int64_t last(int64_t o) const {
    const int64_t room = in - (o * stride - pad_before);
    const int64_t t = room <= 0 ? 0 : (room + dilation - 1) / dilation;
    return t < kernel ? t : kernel;
  }
};

/// Attributes that all sliding windows share; `paddings` has one entry for each dimension or two (before, after).
struct WindowAttributes {
  const Ints& strides;
  const Ints& paddings;
  PaddingAlgorithm padding_algorithm = PaddingAlgorithm::kExplicit;
};

/// Fills stride and paddings of `axes` (whose in and kernel are set), validating the attributes.
/// SAME with an unknown `in` leaves the paddings at 0.
void set_window(const WindowAttributes& attributes, std::span<WindowAxis> axes);

}  // namespace coracle::internal
