// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/system/file_status.h"

namespace coracle::internal {

// Files by their descriptors, which no program that is started inherits. Paths are UTF-8. What fails says why in errno.

/// The path from the root on; as it is where nobody knows the working folder.
std::string absolute_path(const std::string& path);
/// For reading, without waiting for pipes; -1 where it cannot be opened.
int open_to_read(const char* path);
/// For reading, no link.
int open_plain_to_read(const std::string& path);
/// For writing what is there.
int open_to_write(const std::string& path);
void close_file(int file);
/// False where what was written may not be there.
bool close_written(int file);

/// How many bytes there are from `offset` on, at most as many as fit: 0 at the end, -1 for failures (EINTR: ask again).
int64_t read_at(int file, std::span<uint8_t> to, uint64_t offset);
/// The next bytes, all of them.
bool read_next(int file, void* to, size_t bytes);

/// A part of a file in memory, read-only, from a multiple of page_size() on. Null: it cannot be mapped.
const void* map_file(int file, uint64_t offset, size_t bytes);
void unmap_file(const void* mapped, size_t bytes);
/// Whole pages of such a mapping need not stay in memory.
void put_away_pages(const void* begin, size_t bytes);
size_t page_size();
/// Whether permissions bind all who write there, as on disks of this machine.
bool is_on_local_disk(int file);

}  // namespace coracle::internal
