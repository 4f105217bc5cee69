// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/crc32.h"

/// A saved model as a file: the head, the structure (schema.fbs), then, from the next multiple of kSectionAlignment on,
/// sections of bytes. Numbers are little-endian. Offsets outside the structure have 64 bits.
namespace coracle::internal::saved {

/// As PNG's: not text, and damaged by what takes it for text.
inline constexpr std::string_view kMagic{
    "\x89"
    "CRCL\r\n\x1a",
    8};

/// Files of another major number are not read; those of a higher minor one have more that may be passed over.
inline constexpr uint16_t kMajor = 1;
inline constexpr uint16_t kMinor = 3;

/// What the operators in a file mean. Raised when one that is written since means something else than before; the
/// reader then brings older ones up to date.
inline constexpr uint32_t kOperators = 1;

inline constexpr size_t kSectionAlignment = 4096;
inline constexpr size_t kTensorAlignment = 64;

/// Largest structure: FlatBuffers' own offsets have 32 bits, and what has a sign 31.
inline constexpr size_t kMostStructure = size_t{1} << 30U;

/// Name of section 0, where the elements of constants are.
inline constexpr std::string_view kWeights = "weights";

/// Name of the section with packed weights. Since 1.1; older readers pass over it.
inline constexpr std::string_view kPacked = "packed";

/// Name of the section with what engines have compiled of blocks. Since 1.3; older readers pass over it.
inline constexpr std::string_view kCompiled = "compiled";

struct Head {
  char magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t head_bytes;  ///< where the structure begins
  uint64_t file_bytes;
  uint64_t structure_bytes;
  uint32_t structure_checksum;  ///< CRC-32
  uint32_t operators;
  uint32_t reserved[5];
  uint32_t head_checksum;  ///< CRC-32 of what stands before it
};
static_assert(sizeof(Head) == 64 && std::endian::native == std::endian::little);

/// The next multiple; what has none in 64 bits wraps around to something smaller than `n`.
constexpr uint64_t aligned(uint64_t n, uint64_t alignment) { return (n + alignment - 1) / alignment * alignment; }

inline uint32_t checksum(std::span<const uint8_t> bytes) { return crc32(bytes); }
/// Of checksums: their own.
inline uint32_t checksum(std::span<const uint32_t> checksums) {
  return crc32({reinterpret_cast<const uint8_t*>(checksums.data()), checksums.size_bytes()});
}

}  // namespace coracle::internal::saved
