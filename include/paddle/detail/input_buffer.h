// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace paddle {
namespace detail {

/// Memory for the elements of an input: grows, never shrinks, aligned as the library likes it best.
class InputBuffer {
 public:
  void* reserve(size_t bytes) {
    if (memory_.size() < bytes + kAlignment) std::vector<char>(bytes + kAlignment).swap(memory_);
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (kAlignment - address % kAlignment) % kAlignment;
  }

 private:
  static constexpr size_t kAlignment = 64;
  std::vector<char> memory_;
};

}  // namespace detail
}  // namespace paddle
