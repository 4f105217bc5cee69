// SPDX-License-Identifier: Apache-2.0
#include "run/engine_key.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "graph/text.h"
#include "run/fact_key.h"

namespace coracle {
namespace {

/// Of the format of the key, and of what files under it hold.
constexpr int kFormat = 2;

/// What the kernel says of one processor.
struct Processor {
  std::string lines;  ///< by which engines choose their code
  std::string name;
};
const Processor& processor() {
  static const Processor& said = *new Processor([] {
    Processor p;
    std::FILE* file = std::fopen("/proc/cpuinfo", "re");
    if (file == nullptr) return p;
    char buffer[8192];
    while (std::fgets(buffer, sizeof(buffer), file) != nullptr && buffer[0] != '\n') {
      const std::string_view line = buffer;
      for (const char* field : {"model name", "flags", "Features", "CPU implementer", "CPU part"}) {
        if (!line.starts_with(field)) continue;
        p.lines.append(line);
        const size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string_view::npos) p.name = line.substr(colon + 2);
      }
    }
    std::fclose(file);
    while (p.name.ends_with('\n') || p.name.ends_with(' ')) p.name.pop_back();
    return p;
  }());
  return said;
}

/// Two sums over words of 64 bits, with multipliers of their own: bytes that differ by accident agree in neither.
struct ContentSum {
  uint64_t first = 0x9e3779b97f4a7c15U;
  uint64_t second = 0xc2b2ae3d27d4eb4fU;

  void add(uint64_t word) {
    first = std::rotl((first ^ word) * 0xff51afd7ed558ccdU, 31);
    second = (std::rotl(second, 27) + word) * 0x9fb21c651e98df25U;
    second ^= second >> 29U;
  }
  void add(const void* data, size_t bytes) {
    const auto* at = static_cast<const std::byte*>(data);
    uint64_t word = 0;
    for (; bytes >= sizeof(word); at += sizeof(word), bytes -= sizeof(word)) {
      std::memcpy(&word, at, sizeof(word));
      add(word);
    }
    word = bytes;
    if (bytes > 0) std::memcpy(reinterpret_cast<std::byte*>(&word) + 1, at, bytes);
    add(word);
  }
};

}  // namespace

std::string processor_name() { return processor().name.empty() ? "an unknown processor" : processor().name; }

SavedCompiled::Key sum_of(std::string_view key) {
  ContentSum sum;
  sum.add(key.data(), key.size());
  return {key.size(), sum.first, sum.second};
}

std::string engine_key(const Engine& engine, const BlockToCompile& block) {
  const Graph& graph = block.graph;
  std::string key =
      text("block ", kFormat, "\n", engine.name(), "\n", engine.version(), "\n", block.options.device, "\n",
           name_of(block.options.precision), "\n", block.threads, " threads\n", processor().lines, print(graph));
  const auto append_inputs = [&](std::span<const Fact> facts) {
    for (ValueId v : graph.inputs()) append_raw(key, v), append_fact(key, facts[index(v)]);
  };
  append_inputs(block.facts);
  append_raw(key, block.varying.size());
  for (const VaryingDim& d : block.varying) append_raw(key, d);
  append_raw(key, block.examples.size());
  for (const std::vector<Fact>& facts : block.examples) append_inputs(facts);
  for (size_t v = 0; v < graph.value_count(); ++v) {
    const Value& value = graph.value(ValueId{static_cast<int32_t>(v)});
    if (!value.is_constant()) continue;
    ContentSum sum;
    sum.add(value.fact.value->raw(), value.fact.value->bytes());
    append_raw(key, v);
    append_raw(key, value.fact.value->bytes());
    append_raw(key, sum.first);
    append_raw(key, sum.second);
  }
  return key;
}

}  // namespace coracle
