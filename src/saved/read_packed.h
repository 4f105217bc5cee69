// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/packed_constants.h"
#include "saved/structure.h"

namespace coracle::internal::saved {

/// The packed weights of a file that has some: where they are, or read. None of memory that is not aligned as they are:
/// they are packed again. Whether their layout is one of this library's is for those to say who want one. Throws Error
/// for what does not lie in the section or is of no constant; `check_bytes`: or has another checksum.
std::vector<PackedConstants> packed_constants(const Structure& structure, const File& file, bool check_bytes);

}  // namespace coracle::internal::saved
