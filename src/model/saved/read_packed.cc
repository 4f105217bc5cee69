// SPDX-License-Identifier: Apache-2.0
#include "model/saved/read_packed.h"

#include "base/error.h"
#include "base/printable.h"

namespace coracle::saved {
namespace {

namespace fb = saved_file;

/// The key of `p`, whose constants are looked up. Throws Error.
PackedKey key_of(const fb::Model& model, const fb::PackedWeights& p, const std::string& name) {
  PackedKey key;
  key.layout = view(p.layout());
  key.parameters = numbers(p.parameters());
  require(p.graph() < count(model.graphs()), name, " are of graph ", p.graph(), " of ", count(model.graphs()));
  key.graph = static_cast<int32_t>(p.graph());
  const fb::Region& graph = *model.graphs()->Get(p.graph());
  std::vector<uint32_t> checksums;
  for (uint32_t v : numbers(p.constants())) {
    const uint32_t constant = v - count(graph.inputs());  // of an input a large number
    require(constant < count(graph.constants()), name, " are of value ", v, ", which is no constant");
    key.values.push_back(static_cast<int32_t>(v));
    checksums.push_back(graph.constants()->Get(constant)->checksum());
  }
  for (fb::ElementType type : numbers(p.types())) key.types.push_back(dtype_of(type));
  require(!key.values.empty() && key.types.size() == key.values.size(), name, " are of ", key.values.size(),
          " constants with ", key.types.size(), " types");
  require(checksum(checksums) == p.constant_checksum(), name, " were made of other weights than the file has");
  return key;
}

}  // namespace

std::vector<PackedConstants> packed_constants(const Structure& structure, const File& file, bool check) {
  const fb::Model& model = structure.model();
  const Structure::Section& section = structure.packed;
  const SectionBytes memory = read_section(file, section, "packed weights");
  const bool usable = reinterpret_cast<uintptr_t>(memory.data) % kTensorAlignment == 0;
  std::vector<PackedConstants> all;
  for (uint32_t i = 0; i < count(model.packed()); ++i) {
    const fb::PackedWeights& p = *model.packed()->Get(i);
    if (p.section() != section.number) continue;  // of a later version
    const std::string name = text("its packed weights ", i, " (", printable(view(p.layout())), ")");
    PackedKey key = key_of(model, p, name);
    require(
        p.offset() <= section.bytes && p.bytes() <= section.bytes - p.offset() && p.offset() % kTensorAlignment == 0,
        name, " cannot have ", p.bytes(), " bytes from byte ", p.offset(), " of ", section.bytes, " on");
    const std::span<const uint8_t> bytes(memory.data + p.offset(), static_cast<size_t>(p.bytes()));
    const uint32_t found = check ? checksum(bytes) : p.checksum();
    require(found == p.checksum(), name, " are damaged: their checksum is ", found, ", expected ", p.checksum());
    if (usable) {
      all.push_back({std::move(key), std::shared_ptr<const void>(memory.owner, bytes.data()), bytes.size()});
    }
  }
  return all;
}

}  // namespace coracle::saved
