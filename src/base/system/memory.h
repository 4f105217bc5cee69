// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace coracle::internal {

/// Zeros of the system that take no memory until they are written; null where there is none.
void* map_memory(size_t bytes);
void unmap_memory(void* mapped, size_t bytes);
/// In larger pages, where the system has such and makes them in little time. Writes a zero at `begin`.
void prefer_large_pages(void* begin, size_t bytes);
/// Gives pages of it back, which stay where they are; their content is lost.
void give_back_pages(void* begin, size_t bytes);
/// Gives the system what the C library keeps of freed memory.
void give_back_freed();

}  // namespace coracle::internal
