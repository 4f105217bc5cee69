// SPDX-License-Identifier: Apache-2.0
#include "saved/read_blocks.h"

#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal::saved {
namespace {

[[gnu::cold]] SavedBlock block_of(const tables::Model& model, const tables::Block& b, const std::string& name,
                                  std::set<std::pair<uint32_t, uint32_t>>& taken) {
  require(b.graph() < model.graphs().size(), name, " is of graph ", b.graph(), " of ", model.graphs().size());
  const uint32_t nodes = model.graphs()[b.graph()].nodes().size();
  SavedBlock block{.engine = printable(b.engine()), .graph = static_cast<int32_t>(b.graph())};
  for (uint32_t n : b.nodes().all()) {
    const bool rises = block.nodes.empty() || static_cast<uint32_t>(block.nodes.back()) < n;
    require(n < nodes && rises && taken.emplace(b.graph(), n).second, name, " cannot have node ", n, " of ", nodes,
            ": nodes are in one block at most, and stand in order");
    block.nodes.push_back(static_cast<int32_t>(n));
  }
  require(!block.nodes.empty() && !block.engine.empty() && !block.engine.ends_with('?'), name, " of ",
          counted(b.nodes().size(), "node"), " is for ", in_quotes(block.engine),
          ", which is not an engine, or has no nodes");
  return block;
}

}  // namespace

[[gnu::cold]] SavedBlocks saved_blocks(const Structure& structure, const File& file, bool check_bytes) {
  const tables::Model model = structure.model();
  SavedBlocks saved;
  std::set<std::pair<uint32_t, uint32_t>> taken;
  for (uint32_t i = 0; i < model.blocks().size(); ++i) {
    saved.blocks.push_back(block_of(model, model.blocks()[i], text("its block ", i), taken));
  }
  for (uint32_t i = 0; i < model.ranges().size(); ++i) {
    const tables::Range r = model.ranges()[i];
    saved.ranges.push_back(
        {.input = std::string(r.input()), .min = r.min().all(), .opt = r.usual().all(), .max = r.max().all()});
  }
  if (structure.compiled.number == 0) return saved;
  const Structure::Section& section = structure.compiled;
  const SectionBytes memory = read_section(file, section, "compiled blocks");
  for (uint32_t i = 0; i < model.compiled().size(); ++i) {
    const tables::CompiledBlock c = model.compiled()[i];
    if (c.section() != section.number) continue;  // of a later version
    const std::string name = text("its compiled block ", i);
    require(c.block() < saved.blocks.size(), name, " is of block ", c.block(), " of ", saved.blocks.size());
    require(c.offset() <= section.bytes && c.bytes() <= section.bytes - c.offset(), name, " cannot have ",
            counted(c.bytes(), "byte"), " from byte ", c.offset(), " of ", section.bytes, " on");
    const std::vector<uint64_t> key = c.key().all();
    SavedCompiled compiled{.version = printable(c.version()), .processor = printable(c.processor())};
    require(key.size() == compiled.key.size(), name, " has a key of ", counted(key.size(), "number"), ", expected ",
            compiled.key.size());
    std::copy(key.begin(), key.end(), compiled.key.begin());
    compiled.checksum = c.checksum();
    compiled.data = std::shared_ptr<const void>(memory.owner, memory.data + c.offset());
    compiled.bytes = static_cast<size_t>(c.bytes());
    if (check_bytes) {
      const uint32_t found = checksum(compiled.content());
      require(found == c.checksum(), name, " is damaged: its checksum is ", found, ", expected ", c.checksum());
    }
    saved.blocks[c.block()].compiled.push_back(std::move(compiled));
  }
  return saved;
}

}  // namespace coracle::internal::saved
