// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/kernel.h"

/// What a device runs: a kernel function over a grid of work items, with arguments.
namespace coracle::internal::gpu {

/// A kernel function, compiled for one device with given definitions. Immutable, for any number of threads.
class Function {
 public:
  virtual ~Function() = default;
  /// The most work items that a group of this function may have on its device.
  virtual size_t largest_group() const = 0;
  /// Bytes of the device that a launch needs for itself alone: its last argument, at a begin counted in floats. 0: it
  /// has no such argument.
  virtual size_t workspace() const { return 0; }
};

/// How many work items, and in which groups. Kernels return at once where an id is beyond what they have to do, so
/// that each `global` may be rounded up to a multiple of its `local`. With local[0] == 0 the device chooses the groups,
/// the same for every global size.
struct Grid {
  size_t global[3] = {1, 1, 1};
  size_t local[3] = {0, 1, 1};
};

/// The grid as it is run: groups chosen, of at most `largest_group` items where they are, and `global` rounded up.
Grid whole_groups(const Grid& grid, size_t largest_group);

/// What a kernel function is called with.
class Argument {
 public:
  /// Two arguments of the function: `GLOBAL T* p, offset_t p_begin`, the begin counted in elements of the tensor's
  /// type.
  // NOLINTNEXTLINE(google-explicit-constructor): lists of arguments are to be read as calls
  Argument(const TensorView& tensor);
  /// The same for other memory of the device, a multiple of `element` bytes into its block. No block at all: null.
  Argument(DeviceBytes bytes, size_t element);
  // NOLINTNEXTLINE(google-explicit-constructor)
  Argument(int32_t value) : size_(sizeof(value)), int_(value) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Argument(float value) : size_(sizeof(value)), float_(value) {}

  /// Where the block stands that is the first of two arguments; null of a number.
  void* const* allocation() const { return is_memory_ ? &allocation_ : nullptr; }
  /// The number, or the begin in the block: of so many bytes.
  const void* value() const { return &begin_; }
  size_t size() const { return size_; }

 private:
  void* allocation_ = nullptr;
  bool is_memory_ = false;
  uint32_t size_ = 0;
  union {
    int64_t begin_ = 0;  // in elements
    int32_t int_;
    float float_;
  };
};

}  // namespace coracle::internal::gpu
