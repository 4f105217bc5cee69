// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace coracle::internal {

/// CRC-32 as gzip and PNG have it (RFC 1952, section 8): the polynomial 0xedb88320, reflected, begun and ended with all
/// bits inverted.
uint32_t crc32(std::span<const uint8_t> bytes);

}  // namespace coracle::internal
