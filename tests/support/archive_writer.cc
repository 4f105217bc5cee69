// SPDX-License-Identifier: Apache-2.0
#include "support/archive_writer.h"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace coracle::internal::test {
namespace {

/// What a stream of zlib with that window makes of the bytes.
std::string deflated(const std::string& bytes, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot begin");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("zlib cannot pack");
  return out;
}

std::string padded(std::string bytes) {
  constexpr size_t kBlock = 512;
  bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock);
  return bytes;
}

std::string tar_entry(const std::string& name, char type, const std::string& content) {
  std::array<char, 512> head{};
  std::memcpy(head.data(), name.data(), std::min<size_t>(name.size(), 100));
  std::memcpy(head.data() + 100, "0000644", 7);
  std::snprintf(head.data() + 124, 12, "%011zo", content.size());
  head[156] = type;
  std::memcpy(head.data() + 257, "ustar\00000", 8);
  std::memset(head.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  std::snprintf(head.data() + 148, 8, "%06o", sum);
  return std::string(head.data(), head.size()) + padded(content);
}

/// "LENGTH path=NAME\n", LENGTH being that of all of it.
std::string pax_record(const std::string& name) {
  const std::string rest = " path=" + name + "\n";
  size_t length = rest.size();
  while (length != std::to_string(length).size() + rest.size()) length = std::to_string(length).size() + rest.size();
  return std::to_string(length) + rest;
}

template <class... Numbers>
std::string little(Numbers... numbers) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
  return out;
}

}  // namespace

std::string tar_archive(const ArchivedFiles& files, LongNames long_names) {
  std::string out;
  for (const auto& [name, content] : files) {
    if (name.size() > 100) {
      const bool pax = long_names == LongNames::kPax;
      out += pax ? tar_entry("pax", 'x', pax_record(name)) : tar_entry("././@LongLink", 'L', name + '\0');
    }
    out += tar_entry(name, name.ends_with('/') ? '5' : '0', content);
  }
  return out.append(1024, '\0');
}

std::string gzipped(const std::string& bytes) { return deflated(bytes, MAX_WBITS + 16); }

std::string zip_archive(const ArchivedFiles& files, bool deflate, bool large) {
  std::string out;
  std::string directory;
  constexpr uint32_t kElsewhere = 0xFFFFFFFF;
  for (const auto& [name, content] : files) {
    const std::string packed = deflate ? deflated(content, -MAX_WBITS) : content;
    const auto checksum = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    const auto method = static_cast<uint16_t>(deflate ? 8 : 0);
    const auto length = static_cast<uint16_t>(name.size());
    const auto size = static_cast<uint32_t>(content.size());
    const auto packed_size = static_cast<uint32_t>(packed.size());
    const auto offset = static_cast<uint32_t>(out.size());
    const std::string extra =
        large ? little(uint16_t{1}, uint16_t{24}, uint64_t{size}, uint64_t{packed_size}, uint64_t{offset}) : "";
    out += little(uint32_t{0x04034b50}, uint16_t{20}, uint16_t{0}, method, uint32_t{0}, checksum, packed_size, size,
                  length, uint16_t{0}) +
           name + packed;
    directory +=
        little(uint32_t{0x02014b50}, uint16_t{20}, uint16_t{20}, uint16_t{0}, method, uint32_t{0}, checksum,
               large ? kElsewhere : packed_size, large ? kElsewhere : size, length, static_cast<uint16_t>(extra.size()),
               uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, large ? kElsewhere : offset) +
        name + extra;
  }
  const auto count = static_cast<uint16_t>(files.size());
  const auto start = static_cast<uint32_t>(out.size());
  const auto size = static_cast<uint32_t>(directory.size());
  out += directory;
  if (large) {
    const uint64_t record = out.size();
    out += little(uint32_t{0x06064b50}, uint64_t{44}, uint16_t{45}, uint16_t{45}, uint32_t{0}, uint32_t{0},
                  uint64_t{count}, uint64_t{count}, uint64_t{size}, uint64_t{start}) +
           little(uint32_t{0x07064b50}, uint32_t{0}, record, uint32_t{1});
  }
  return out + little(uint32_t{0x06054b50}, uint16_t{0}, uint16_t{0}, count, count, large ? kElsewhere : size,
                      large ? kElsewhere : start, uint16_t{0});
}

}  // namespace coracle::internal::test
