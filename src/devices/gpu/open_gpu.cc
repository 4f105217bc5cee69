// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/open_gpu.h"

#include <algorithm>

#include "ops/common/indices.h"

namespace coracle::internal::gpu {

int GpuQueue::number_of(const char* operand) noexcept {
  const auto known = std::find(operands_.begin(), operands_.end(), operand);
  if (known != operands_.end()) return static_cast<int>(known - operands_.begin());
  try {
    operands_.push_back(operand);
    return static_cast<int>(operands_.size()) - 1;
  } catch (...) {
    return -1;
  }
}

std::string GpuQueue::text_of(const Fault& fault) const {
  const auto [found, operand, element, index, least, most] = fault;
  const bool known = operand >= 0 && operand < static_cast<int64_t>(operands_.size());
  return out_of_range_text(index, known ? operands_[static_cast<size_t>(operand)] : "an operand", element, least, most);
}

}  // namespace coracle::internal::gpu
