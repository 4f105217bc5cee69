// SPDX-License-Identifier: Apache-2.0
#include "loading/write_saved_blocks.h"

#include "saved/format.h"

namespace coracle::internal::saved {

namespace fb = saved_file;
using flatbuffers::Offset;

BlockTables write_blocks(flatbuffers::FlatBufferBuilder& to, const SavedBlocks& saved, uint32_t section) {
  BlockTables tables;
  if (saved.blocks.empty()) return tables;
  std::vector<Offset<fb::Block>> blocks;
  std::vector<Offset<fb::CompiledBlock>> compiled;
  for (const SavedBlock& block : saved.blocks) {
    const auto number = static_cast<uint32_t>(blocks.size());
    const auto engine = to.CreateSharedString(block.engine);
    const auto nodes = to.CreateVector(std::vector<uint32_t>(block.nodes.begin(), block.nodes.end()));
    blocks.push_back(fb::CreateBlock(to, engine, static_cast<uint32_t>(block.graph), nodes));
    for (const SavedCompiled& c : block.compiled) {
      const uint64_t at = aligned(tables.bytes, kTensorAlignment);
      tables.bytes = at + c.bytes;
      const auto version = to.CreateSharedString(c.version);
      const auto processor = to.CreateSharedString(c.processor);
      const auto key = to.CreateVector(c.key.data(), c.key.size());
      compiled.push_back(
          fb::CreateCompiledBlock(to, number, version, processor, key, section, at, c.bytes, c.checksum));
    }
  }
  std::vector<Offset<fb::Range>> ranges;
  for (const ShapeRange& r : saved.ranges) {
    const auto input = to.CreateSharedString(r.input);
    const auto min = to.CreateVector(r.min);
    const auto usual = to.CreateVector(r.opt);
    const auto max = to.CreateVector(r.max);
    ranges.push_back(fb::CreateRange(to, input, min, usual, max));
  }
  tables.blocks = to.CreateVector(blocks);
  if (!compiled.empty()) tables.compiled = to.CreateVector(compiled);
  if (!ranges.empty()) tables.ranges = to.CreateVector(ranges);
  return tables;
}

}  // namespace coracle::internal::saved
