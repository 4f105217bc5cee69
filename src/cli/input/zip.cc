// SPDX-License-Identifier: Apache-2.0
#include "cli/input/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "cli/failure.h"

namespace coracle::cli {
namespace {

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Failure(ExitCode::kIo, path + ": not a ZIP archive this program reads: " + why);
}

/// A little-endian number; reading past the end is a failure.
uint32_t number(const std::string& path, const std::string& content, size_t position, size_t count) {
  if (position > content.size() || count > content.size() - position) damaged(path, "it ends early");
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8U | static_cast<uint8_t>(content[position + i]);
  return value;
}

/// `size` bytes made of deflated ones.
std::string inflated(const std::string& path, const std::string& name, const char* data, size_t deflated, size_t size) {
  constexpr size_t kMostPerByte = 1032;
  if (size / kMostPerByte > deflated) damaged(path, "'" + name + "' cannot have the size that is stated");
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Failure(ExitCode::kOutOfMemory, "out of memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));
  stream.avail_in = static_cast<uInt>(deflated);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  const int end = inflate(&stream, Z_FINISH);
  const bool whole = end == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!whole) damaged(path, "'" + name + "' is damaged");
  return out;
}

/// What the directory says of a file.
struct Entry {
  uint32_t flags = 0;
  uint32_t method = 0;
  uint32_t checksum = 0;
  size_t deflated = 0;
  size_t size = 0;
  size_t name_length = 0;
  size_t header = 0;  ///< where its own header lies
};

std::string content_of(const std::string& path, const std::string& content, const std::string& name, const Entry& e) {
  constexpr uint32_t kStored = 0;
  constexpr uint32_t kDeflated = 8;
  if ((e.flags & 1U) != 0) damaged(path, "'" + name + "' is encrypted");
  if (e.method != kStored && e.method != kDeflated)
    damaged(path, "'" + name + "' is packed in another way than deflate");
  if (number(path, content, e.header, 4) != 0x04034B50) damaged(path, "'" + name + "' is not where the directory says");
  const size_t begin =
      e.header + 30 + number(path, content, e.header + 26, 2) + number(path, content, e.header + 28, 2);
  if (begin > content.size() || e.deflated > content.size() - begin) damaged(path, "'" + name + "' ends early");
  if (e.method == kStored && e.size != e.deflated) damaged(path, "'" + name + "' has two sizes");
  std::string out = e.method == kStored ? content.substr(begin, e.size)
                                        : inflated(path, name, content.data() + begin, e.deflated, e.size);
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size()));
  if (sum != e.checksum) damaged(path, "'" + name + "' has another checksum");
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_zip(const std::string& path, const std::string& content) {
  constexpr size_t kEndRecord = 22;
  constexpr size_t kMostContent = size_t{1} << 31U;
  constexpr uint32_t kZip64 = 0xFFFFFFFF;
  const size_t end =
      content.size() < kEndRecord ? std::string::npos : content.rfind("PK\x05\x06", content.size() - kEndRecord);
  if (end == std::string::npos) damaged(path, "it has no directory");
  const auto field = [&](size_t position, size_t count) { return number(path, content, position, count); };
  const size_t count = field(end + 10, 2);
  size_t at = field(end + 16, 4);
  std::vector<std::pair<std::string, std::string>> files;
  // Records may name the same bytes again and again: as much is made of them as of an archive where none does.
  size_t read = 0;
  size_t made = 0;
  for (size_t i = 0; i < count; ++i) {
    if (field(at, 4) != 0x02014B50) damaged(path, "its directory is damaged");
    const Entry e{field(at + 8, 2),  field(at + 10, 2), field(at + 16, 4), field(at + 20, 4),
                  field(at + 24, 4), field(at + 28, 2), field(at + 42, 4)};
    if (e.deflated == kZip64 || e.size == kZip64 || e.header == kZip64) damaged(path, "it has files of 4 GiB or more");
    read += e.deflated;
    if (read > content.size()) damaged(path, "its files lie over one another");
    made += e.size;
    if (made > kMostContent) damaged(path, "it unpacks to more than 2 GiB: unpack it to .npy files");
    if (at + 46 > content.size() || e.name_length > content.size() - at - 46) damaged(path, "its directory ends early");
    const std::string name = content.substr(at + 46, e.name_length);
    files.emplace_back(name, content_of(path, content, name, e));
    at += 46 + e.name_length + field(at + 30, 2) + field(at + 32, 2);
  }
  return files;
}

}  // namespace coracle::cli
