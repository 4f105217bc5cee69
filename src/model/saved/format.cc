// SPDX-License-Identifier: Apache-2.0
#include "model/saved/format.h"

#include <zlib.h>

namespace coracle::saved {

uint32_t checksum(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

uint32_t checksum(std::span<const uint32_t> checksums) {
  return checksum({reinterpret_cast<const uint8_t*>(checksums.data()), checksums.size_bytes()});
}

}  // namespace coracle::saved
