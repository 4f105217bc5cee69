// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace coracle::internal {

/// memcpy whose speed does not depend on the addresses. glibc copies blocks from about 4 KiB to the size of the level-2
/// cache by the instruction REP MOVSB where the processor calls it fast. On AMD's Zen 3 it takes 15 to 20 times as long
/// where `to` is 1 to 63 bytes further from the start of its page than `from` is (measured with glibc 2.36): the
/// results of a model begin at multiples of 64, arrays of numpy at multiples of 16.
void copy_bytes(void* to, const void* from, size_t bytes) noexcept;

}  // namespace coracle::internal
