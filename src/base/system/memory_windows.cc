// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include "base/system/memory.h"
#include "base/system/windows_headers.h"

namespace coracle::internal {

void* map_memory(size_t bytes) { return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }

void unmap_memory(void* mapped, size_t /*bytes*/) { VirtualFree(mapped, 0, MEM_RELEASE); }

// They are for users with a right of their own.
void prefer_large_pages(void* /*begin*/, size_t /*bytes*/) {}

void give_back_pages(void* begin, size_t bytes) {
  VirtualAlloc(begin, bytes, MEM_RESET, PAGE_READWRITE);
  VirtualUnlock(begin, bytes);
}

void give_back_freed() { ::_heapmin(); }

}  // namespace coracle::internal
