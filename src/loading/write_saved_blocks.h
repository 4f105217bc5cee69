// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "graph/saved_blocks.h"
#include "saved/schema_generated.h"

namespace coracle::internal::saved {

/// Blocks for engines in the structure of a file, and how many bytes the section takes with what is compiled of them:
/// each at a multiple of kTensorAlignment, in the order of the blocks.
struct BlockTables {
  template <class T>
  using Tables = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<T>>>;
  Tables<saved_file::Block> blocks = 0;
  Tables<saved_file::CompiledBlock> compiled = 0;
  Tables<saved_file::Range> ranges = 0;
  uint64_t bytes = 0;
};

/// `section`: number of that with what is compiled.
BlockTables write_blocks(flatbuffers::FlatBufferBuilder& to, const SavedBlocks& blocks, uint32_t section);

}  // namespace coracle::internal::saved
