// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/file.h"

namespace coracle::internal {

/// What deflated bytes unpack to. Nothing unpacked is kept: each read goes on where the last one ended, and one that
/// goes back starts at a place that was noted on the way.
struct Deflated {
  File bytes;             ///< where they are
  bool is_gzip = false;   ///< with the heads and sums of gzip; else bare
  size_t size = 0;        ///< what they unpack to; of gzip, which does not say, at most
  uint32_t checksum = 0;  ///< (CRC-32) of what they unpack to; of gzip, which has its own, none
};

/// Reading throws Error (kInvalidModel) where they are damaged, or unpack to something else than is said.
std::shared_ptr<MadeBytes> inflated(Deflated packed);

/// How many bytes `packed` bytes may unpack to. More is no model but made to fill memory.
size_t most_unpacked(size_t packed);

}  // namespace coracle::internal
