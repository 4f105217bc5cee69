// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/window.h"

#include <algorithm>

#include "base/counted.h"

namespace coracle::internal {

std::span<const std::string_view> names_of(PaddingAlgorithm) {
  static constexpr std::string_view kNames[] = {"EXPLICIT", "SAME", "VALID"};
  return kNames;
}

void set_window(const WindowAttributes& attributes, std::span<WindowAxis> axes) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  const size_t n = axes.size();
  const Ints& strides = attributes.strides;
  const Ints& paddings = attributes.paddings;
  require(strides.size() == n || strides.size() == 1, "strides has ", counted(strides.size(), "entry"), ", expected ",
          n);
  const bool is_explicit = attributes.padding_algorithm == PaddingAlgorithm::kExplicit;
  require(!is_explicit || paddings.size() == n || paddings.size() == 2 * n || paddings.size() == 1, "paddings has ",
          counted(paddings.size(), "entry"), ", expected ", n, " or ", 2 * n);
  for (size_t i = 0; i < n; ++i) {
    WindowAxis& axis = axes[i];
    axis.stride = strides.size() == 1 ? strides[0] : strides[i];
    require(axis.stride > 0 && axis.stride < kLimit, "strides has ", axis.stride, ", expected a positive number");
    if (is_explicit) {
      const bool pairs = n > 1 ? paddings.size() == 2 * n : paddings.size() == 2;
      axis.pad_before = pairs ? paddings[2 * i] : paddings[paddings.size() == 1 ? 0 : i];
      axis.pad_after = pairs ? paddings[2 * i + 1] : axis.pad_before;
      require(axis.pad_before >= 0 && axis.pad_after >= 0 && axis.pad_before < kLimit && axis.pad_after < kLimit,
              "paddings has ", std::min(axis.pad_before, axis.pad_after), ", expected no negative number");
    } else if (attributes.padding_algorithm == PaddingAlgorithm::kSame && axis.in > 0 && axis.kernel > 0) {
      const int64_t out = (axis.in - 1) / axis.stride;
      const int64_t total = std::max<int64_t>(out * axis.stride + axis.kernel - axis.in, 0);
      axis.pad_before = total / 2;
      axis.pad_after = total - axis.pad_before;
    }
  }
}

}  // namespace coracle::internal
