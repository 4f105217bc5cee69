// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace coracle {

/// The allocator of all RapidJSON documents and writers (the members are those of its concept): that library writes
/// through what its own allocator returns, null too.
class JsonMemory {
 public:
  static constexpr bool kNeedFree = true;

  static void* Malloc(size_t size) { return size == 0 ? nullptr : checked(std::malloc(size)); }
  static void* Realloc(void* data, size_t /*old_size*/, size_t size) {
    if (size != 0) return checked(std::realloc(data, size));
    Free(data);
    return nullptr;
  }
  static void Free(void* data) { std::free(data); }

 private:
  static void* checked(void* data) {
    if (data == nullptr) throw std::bad_alloc();
    return data;
  }
};

}  // namespace coracle
