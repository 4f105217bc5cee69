// SPDX-License-Identifier: Apache-2.0
#include "saved/read_packed.h"

#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal::saved {
namespace {

/// Throws Error about an entry unless `holds`.
void check(bool holds, const std::string& name, std::string_view what, uint64_t a, std::string_view then, uint64_t b) {
  require(holds, name, what, a, then, b);
}

/// The key of `p`, whose constants are looked up. Throws Error.
[[gnu::cold]] PackedKey key_of(const tables::Model& model, const tables::PackedWeights& p, const std::string& name) {
  PackedKey key;
  key.layout = p.layout();
  key.parameters = p.parameters().all();
  check(p.graph() < model.graphs().size(), name, " are of graph ", p.graph(), " of ", model.graphs().size());
  key.graph = static_cast<int32_t>(p.graph());
  const tables::Region graph = model.graphs()[p.graph()];
  const uint32_t inputs = graph.inputs().size();
  std::vector<uint32_t> checksums;
  for (uint32_t v : p.constants().all()) {
    check(v >= inputs && v - inputs < graph.constants().size(), name, " are of value ", v,
          ", which is none of the constants from value ", inputs);
    key.values.push_back(static_cast<int32_t>(v));
    checksums.push_back(graph.constants()[v - inputs].checksum());
  }
  for (tables::ElementType type : p.types().all()) key.types.push_back(dtype_of(type));
  check(!key.values.empty() && key.types.size() == key.values.size(), name, " have types, ", key.types.size(),
        ", of constants, ", key.values.size());
  const uint32_t made_of = checksum(checksums);
  check(made_of == p.constant_checksum(), name, " are not of the weights in the file: the checksum of those is ",
        made_of, ", expected ", p.constant_checksum());
  return key;
}

}  // namespace

[[gnu::cold]] std::vector<PackedConstants> packed_constants(const Structure& structure, const File& file,
                                                            bool check_bytes) {
  const tables::Model model = structure.model();
  const Structure::Section& section = structure.packed;
  const SectionBytes memory = read_section(file, section, "packed weights");
  const bool usable = reinterpret_cast<uintptr_t>(memory.data) % kTensorAlignment == 0;
  std::vector<PackedConstants> all;
  for (uint32_t i = 0; i < model.packed().size(); ++i) {
    const tables::PackedWeights p = model.packed()[i];
    if (p.section() != section.number) continue;  // of a later version
    const std::string name = "its packed weights " + std::to_string(i) + " (" + printable(p.layout()) + ")";
    PackedKey key = key_of(model, p, name);
    check(p.offset() <= section.bytes && p.bytes() <= section.bytes - p.offset() && p.offset() % kTensorAlignment == 0,
          name, " cannot have ", p.bytes(), " bytes from byte ", p.offset());
    const std::span<const uint8_t> bytes(memory.data + p.offset(), static_cast<size_t>(p.bytes()));
    const uint32_t found = check_bytes ? checksum(bytes) : p.checksum();
    check(found == p.checksum(), name, " are damaged: their checksum is ", found, ", expected ", p.checksum());
    if (usable) {
      all.push_back({std::move(key), std::shared_ptr<const void>(memory.owner, bytes.data()), bytes.size()});
    }
  }
  return all;
}

}  // namespace coracle::internal::saved
