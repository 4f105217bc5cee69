// SPDX-License-Identifier: Apache-2.0
#include "plan/device.h"

#include <algorithm>

namespace coracle::internal {

const Device& host_device() {
  static const Device* const kHost = [] {
    const std::span<const Device* const> all = all_devices();
    return *std::find_if(all.begin(), all.end(), [](const Device* d) { return d->is_host(); });
  }();
  return *kHost;
}

}  // namespace coracle::internal
