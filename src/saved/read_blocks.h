// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/saved_blocks.h"
#include "saved/structure.h"

namespace coracle::internal::saved {

/// The blocks of a saved model and what engines have made of them, where they are. `check_bytes`: compares these with
/// their checksums; else who uses them does. Throws Error without the name of the file.
SavedBlocks saved_blocks(const Structure& structure, const File& file, bool check_bytes);

}  // namespace coracle::internal::saved
