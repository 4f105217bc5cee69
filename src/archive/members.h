// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace coracle::internal {

/// One file in an archive: where it lies and how it is packed.
struct ArchiveMember {
  std::string name;   ///< as in the archive
  size_t offset = 0;  ///< of its bytes; in a ZIP archive of its head
  size_t packed = 0;  ///< bytes it takes there
  size_t size = 0;    ///< bytes it has
  int method = 0;     ///< ZIP's number of how it is packed; 0: not
  uint32_t checksum = 0;
  bool encrypted = false;
};

/// The regular files of a tar archive. Throws Error (kInvalidModel).
std::vector<ArchiveMember> tar_members(const File& tar);
/// True if these are the first bytes of a tar archive.
bool starts_tar(std::span<const uint8_t> head);

/// The files of a ZIP archive. Throws Error (kInvalidModel).
std::vector<ArchiveMember> zip_members(const File& zip);
/// The bytes of one of them. Throws Error: kUnsupported for encrypted ones and for what is packed by other means than
/// deflate. The checksum of a deflated one is looked at when it is read to its end; that of a stored one never, since
/// it may be mapped.
File open_zip_member(const File& zip, const ArchiveMember& member, std::string name);

/// Limits of both: what a file says beyond them is damage.
inline constexpr size_t kMostArchiveMembers = size_t{1} << 14U;
inline constexpr size_t kMostArchiveName = 1024;

}  // namespace coracle::internal
