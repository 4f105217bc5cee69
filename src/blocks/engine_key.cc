// SPDX-License-Identifier: Apache-2.0
#include "blocks/engine_key.h"

#include <cstdio>
#include <string_view>

#include "base/checksum.h"
#include "base/error.h"
#include "graph/text.h"
#include "run/fact_key.h"

namespace coracle::internal {
namespace {

/// Of the format of the key, and of what files under it hold.
constexpr int kFormat = 3;

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

}  // namespace

std::string processor_name() { return processor().name.empty() ? "an unknown processor" : processor().name; }

SavedCompiled::Key sum_of(std::string_view key) {
  Checksum sum;
  sum.add(key.data(), key.size());
  const auto [first, second] = sum.value();
  return {key.size(), first, second};
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
    Checksum sum;
    sum.add(value.fact.value->raw(), value.fact.value->bytes());
    append_raw(key, v);
    append_raw(key, value.fact.value->bytes());
    append_raw(key, sum.value());
  }
  return key;
}

}  // namespace coracle::internal
