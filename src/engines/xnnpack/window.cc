// SPDX-License-Identifier: Apache-2.0
#include "window.h"

#include <algorithm>
#include <limits>

namespace coracle_xnnpack {

uint32_t narrow(int64_t number) {
  require(number >= 0 && number <= std::numeric_limits<int32_t>::max(),
          "a size of " + std::to_string(number) + " is out of range");
  return static_cast<uint32_t>(number);
}

void set_windows(const Node& node, Windows& windows, bool dilated) {
  const Dims strides = node.list("strides");
  const Dims dilations = dilated ? node.list("dilations") : Dims{1};
  const Dims paddings = node.list("paddings");
  const std::string algorithm = node.word("padding_algorithm");
  const auto entry = [](const Dims& list, size_t i) {
    require(list.size() == 1 || list.size() > i, "a list of its attributes is too short");
    return list[list.size() == 1 ? 0 : i];
  };
  for (size_t i = 0; i < 2; ++i) {
    Window& w = windows.axes[i];
    w.stride = entry(strides, i);
    w.dilation = algorithm == "SAME" ? 1 : entry(dilations, i);
    require(w.stride > 0 && w.dilation > 0, "a stride or dilation is not positive");
    if (algorithm == "SAME") {
      const int64_t total = std::max<int64_t>((w.in - 1) / w.stride * w.stride + w.kernel - w.in, 0);
      w.before = total / 2;
      w.after = total - w.before;
    } else if (algorithm != "VALID") {
      const bool pairs = paddings.size() == 4;
      w.before = entry(paddings, pairs ? 2 * i : i);
      w.after = pairs ? paddings[2 * i + 1] : w.before;
      require(w.before >= 0 && w.after >= 0, "a padding is negative");
    }
  }
}

void fit(Windows& windows) {
  for (Window& w : windows.axes) {
    w.after = std::max<int64_t>((w.out - 1) * w.stride + w.span() - w.in - w.before, 0);
    const int64_t room = w.in + w.before + w.after - w.span();
    require(room >= 0 && room / w.stride + 1 == w.out, "its windows do not fit into x");
  }
}

}  // namespace coracle_xnnpack
