// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/tensor.h"

namespace coracle::internal {

/// Where a result is to be after a run: in memory of the session's on the host, in memory of the user's, or on a
/// device.
struct OutputMemory {
  void* data = nullptr;    ///< null: the result is in memory of the session's
  size_t bytes = 0;        ///< that it has room for
  bool on_device = false;  ///< of the program; without `data`

  bool overlaps(const void* other, size_t other_bytes) const {
    const auto begin = reinterpret_cast<uintptr_t>(data);
    const auto other_begin = reinterpret_cast<uintptr_t>(other);
    return begin < other_begin + other_bytes && other_begin < begin + bytes;
  }
  /// Kernels may write there: it lies as tensors do, and nothing that is read lies in it. Else results are copied.
  bool takes_kernels(std::span<const Tensor> inputs) const {
    constexpr uintptr_t kAlignment = 64;
    if (data == nullptr || reinterpret_cast<uintptr_t>(data) % kAlignment != 0) return false;
    for (const Tensor& t : inputs) {
      if (overlaps(t.raw(), t.bytes())) return false;
    }
    return true;
  }
};

}  // namespace coracle::internal
