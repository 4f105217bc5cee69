// SPDX-License-Identifier: Apache-2.0
#include "base/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace coracle::internal {
namespace {

constexpr size_t kStep = 8;
/// [k][b]: what a byte b adds that k further bytes follow.
using CrcTables = std::array<std::array<uint32_t, 256>, kStep>;

CrcTables make_crc_tables() {
  constexpr uint32_t kPolynomial = 0xedb88320;
  CrcTables tables;
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? crc >> 1U ^ kPolynomial : crc >> 1U;
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < kStep; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t before = tables[k - 1][b];
      tables[k][b] = before >> 8U ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}

}  // namespace

uint32_t crc32(std::span<const uint8_t> bytes) {
  static_assert(std::endian::native == std::endian::little);
  static const CrcTables kTables = make_crc_tables();
  uint32_t crc = ~0U;
  for (; bytes.size() >= kStep; bytes = bytes.subspan(kStep)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < kStep; ++k) crc ^= kTables[kStep - 1 - k][word >> (8 * k) & 0xffU];
  }
  for (const uint8_t byte : bytes) crc = crc >> 8U ^ kTables[0][(crc ^ byte) & 0xffU];
  return ~crc;
}

}  // namespace coracle::internal
