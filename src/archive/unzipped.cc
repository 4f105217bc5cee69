// SPDX-License-Identifier: Apache-2.0
#include "archive/unzipped.h"

#include "archive/members.h"
#include "base/counted.h"
#include "base/crc32.h"
#include "base/printable.h"

namespace coracle::internal {

std::vector<std::pair<std::string, std::string>> unzipped(const std::string& name, std::string_view zip, size_t most) {
  const auto check = [&](bool condition, const auto&... parts) {
    if (!condition) fail(ErrorCode::kInvalidModel, "the archive ", in_quotes(name), parts...);
  };
  const File file(
      FileBytes{.name = name, .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(zip.data()), zip.size()}});
  std::vector<std::pair<std::string, std::string>> files;
  size_t bytes_left = zip.size();  // those of a file may not be unpacked once more as another's
  for (const ArchiveMember& member : zip_members(file)) {
    check(member.size <= most, " unpacks to more than ", counted(most, "byte"), ": unpack it first");
    most -= member.size;
    const File packed = open_zip_member(file, member, name + ": " + member.name);
    check(member.packed <= bytes_left, " is damaged: its files lie over one another");
    bytes_left -= member.packed;
    std::string content(member.size, '\0');
    const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(content.data()), content.size());
    const size_t got = packed.read(0, bytes);
    check(got == content.size() && crc32(bytes) == member.checksum, " is damaged: the file ", in_quotes(member.name),
          " has another checksum (CRC-32)");
    files.emplace_back(member.name, std::move(content));
  }
  return files;
}

}  // namespace coracle::internal
