// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace coracle::internal {

/// Memory straight from the system, in large pages where it has them and there is enough to fill some: going through
/// all of it meets fewer page boundaries, and it goes back to the system at once. Pages take no memory until they are
/// written.
class Pages {
 public:
  Pages() = default;
  /// 64-byte aligned, content undefined. Throws std::bad_alloc.
  explicit Pages(size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept { swap(other); }
  Pages& operator=(Pages&& other) noexcept {
    swap(other);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  /// Gives what lies behind the first `bytes` back to the system; they stay where they are.
  void trim(size_t bytes) noexcept;

 private:
  void swap(Pages& other) noexcept;

  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  void* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
};

/// Pages for many lasting things of all sizes, one behind the other. They are given back when the last thing in a block
/// of them is gone, so what is taken from one arena should be given up together. Thread-safe.
class PageArena {
 public:
  /// Zeros, 64-byte aligned. Outlives the arena. Throws std::bad_alloc.
  std::shared_ptr<void> take(size_t bytes);

 private:
  std::mutex mutex_;
  std::shared_ptr<Pages> block_;
  size_t used_ = 0;  // bytes of the block
};

}  // namespace coracle::internal
