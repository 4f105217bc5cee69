// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#include "base/deadline.h"

namespace coracle {

/// memcpy of what may be as large as the data; throws Error when the deadline has passed.
inline void copy_in_blocks(void* to, const void* from, size_t bytes) {
  in_blocks(bytes, [=](size_t begin, size_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

/// The same for one piece of many, most of which are short.
inline void copy_piece(void* to, const void* from, size_t bytes, LoopCheck& check) {
  constexpr size_t kLong = size_t{1} << 20;
  if (bytes > kLong) return copy_in_blocks(to, from, bytes);
  check.step(1 + static_cast<int64_t>(bytes / 8));
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace coracle
