// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include "base/system/memory.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace coracle::internal {

void* map_memory(size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void unmap_memory(void* mapped, size_t bytes) { ::munmap(mapped, bytes); }

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t bytes) {
#if defined(MADV_HUGEPAGE)
  ::madvise(begin, bytes, MADV_HUGEPAGE);  // refused, they are small
#endif
}

void give_back_pages(void* begin, size_t bytes) { ::madvise(begin, bytes, MADV_DONTNEED); }

void give_back_freed() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace coracle::internal
