// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/launch.h"

#include <algorithm>

namespace coracle::internal::gpu {
namespace {

/// Items of a group where kernels do not say how many: the same for all sizes, as compilers make code for each.
constexpr size_t kGroup = 64;

}  // namespace

Grid whole_groups(const Grid& grid, size_t largest_group) {
  Grid whole = grid;
  if (grid.local[0] == 0) {
    whole.local[0] = std::min(kGroup, largest_group);
    whole.local[1] = whole.local[2] = 1;
  }
  for (int d = 0; d < 3; ++d) {
    whole.local[d] = std::max<size_t>(whole.local[d], 1);
    whole.global[d] = (grid.global[d] + whole.local[d] - 1) / whole.local[d] * whole.local[d];
  }
  return whole;
}

Argument::Argument(const TensorView& tensor)
    : Argument(DeviceBytes{tensor.data, tensor.offset}, size_of(tensor.fact->dtype)) {}
Argument::Argument(DeviceBytes bytes, size_t element)
    : allocation_(bytes.allocation),
      is_memory_(true),
      size_(sizeof(begin_)),
      begin_(static_cast<int64_t>(bytes.offset / element)) {}

}  // namespace coracle::internal::gpu
