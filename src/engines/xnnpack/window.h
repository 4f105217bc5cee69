// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node.h"

namespace coracle_xnnpack {

/// One dimension of a sliding window: element t of window o is element o * stride - before + t * dilation.
struct Window {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;
  int64_t after = 0;

  int64_t span() const { return dilation * (kernel - 1) + 1; }
};

/// Height and width.
struct Windows {
  Window axes[2];
  const Window& height() const { return axes[0]; }
  const Window& width() const { return axes[1]; }
};

/// As the attributes of a node say; `in` and `kernel` are set before. What stands behind is as they say too.
void set_windows(const Node& node, Windows& windows, bool dilated);

/// Sets what stands behind so that there are `out` windows, whose places do not depend on it. Throws Refused.
void fit(Windows& windows);

/// For the interface of XNNPACK.
uint32_t narrow(int64_t number);

}  // namespace coracle_xnnpack
