// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/tensor.h"
#include "run/user_memory.h"

namespace coracle::internal {

/// Where a result is to be after a run: in memory of the session's on the host, in memory of the user's there or on a
/// device, or anywhere on a device.
struct OutputMemory {
  void* data = nullptr;                          ///< of the host; null: the result is in memory of the session's
  size_t bytes = 0;                              ///< that it has room for
  bool on_device = false;                        ///< of the program; without `data`
  std::shared_ptr<const UserMemory> there = {};  ///< on the program's first device; without the others but `bytes`
  DType dtype = DType::kUnknown;                 ///< of elements there
  bool is_wanted = true;                         ///< false: it need not be computed

  bool is_users() const { return data != nullptr || there != nullptr; }
  bool overlaps(const OutputMemory& other) const {
    if ((there == nullptr) != (other.there == nullptr)) return false;
    return overlaps(other.address(), other.bytes);
  }
  bool overlaps(const void* other, size_t other_bytes) const {
    const auto begin = reinterpret_cast<uintptr_t>(address());
    const auto other_begin = reinterpret_cast<uintptr_t>(other);
    return begin < other_begin + other_bytes && other_begin < begin + bytes;
  }
  /// Kernels may write there: it lies as tensors do, and nothing that is read lies in it. Else results are copied.
  bool takes_kernels(std::span<const Tensor> inputs) const {
    constexpr uintptr_t kAlignment = 64;
    if (!is_users()) return false;
    if (there != nullptr ? !there->takes_kernels() : reinterpret_cast<uintptr_t>(data) % kAlignment != 0) return false;
    return std::none_of(inputs.begin(), inputs.end(), [&](const Tensor& t) {
      if (t.is_on_host() != (there == nullptr)) return false;
      return overlaps(t.is_on_host() ? t.raw() : t.storage()->memory(), t.bytes());
    });
  }

 private:
  const void* address() const { return there == nullptr ? data : there->memory(); }
};

}  // namespace coracle::internal
