// SPDX-License-Identifier: Apache-2.0
#include "api/describe.h"

#include <unordered_map>

#include "api/json_field.h"
#include "blocks/device_engine.h"
#include "passes/pass.h"
#include "plan/device.h"
#include "plan/engine.h"

namespace coracle::internal {
namespace {

void write(JsonWriter& w, const TensorInfo& t) {
  w.StartObject();
  field(w, "name", t.name);
  field(w, "dtype", name_of(t.dtype));
  w.Key("shape");
  if (!t.shape.rank_known()) {
    w.Null();
  } else {
    w.StartArray();
    for (int64_t d : t.shape) w.Int64(d);
    w.EndArray();
  }
  field(w, "lod_levels", int64_t{t.lod_levels});
  w.EndObject();
}

void write_rewrites(JsonWriter& w, const std::vector<SavingRecord::Rewrites>& rewrites) {
  w.objects("rewrites", rewrites, [&](const SavingRecord::Rewrites& r) {
    field(w, "pass", r.pass);
    field(w, "count", int64_t{r.count});
  });
}

void write_info(JsonWriter& w, const ModelInfo& info) {
  field(w, "file", info.file);
  w.list("passed_over", info.passed_over, [&](const std::string& name) { write_text(w, name); });
  field(w, "format", info.format);
  field(w, "producer", info.producer);
  if (info.saved) {
    const SavingRecord& saved = *info.saved;
    w.Key("saved");
    w.StartObject();
    field(w, "by", saved.version);
    field(w, "format", text(saved.major, ".", saved.minor));
    field(w, "operators", int64_t{saved.operators});
    field(w, "source", saved.source);
    field(w, "source_format", saved.source_format);
    write_rewrites(w, saved.rewrites);
    w.list("left_out", saved.left_out, [&](const std::string& name) { write_text(w, name); });
    field(w, "blocks", saved.blocks);
    field(w, "compiled", saved.compiled);
    w.EndObject();
  }
  for (const auto* list : {&info.inputs, &info.outputs}) {
    w.list(list == &info.inputs ? "inputs" : "outputs", *list, [&](const TensorInfo& t) { write(w, t); });
  }
  int64_t elements = 0;
  int64_t bytes = 0;
  for (const TensorInfo& t : info.parameters) {
    if (!t.shape.known()) continue;
    elements += t.shape.count();
    bytes += t.shape.count() * static_cast<int64_t>(size_of(t.dtype));
  }
  w.Key("parameters");
  w.StartObject();
  field(w, "count", static_cast<int64_t>(info.parameters.size()));
  field(w, "elements", elements);
  field(w, "bytes", bytes);
  w.EndObject();
  w.Key("operators");
  w.StartObject();
  for (const OperatorCount& o : info.operators) field(w, o.type.c_str(), o.count);
  w.EndObject();
  w.objects("unsupported", info.unsupported, [&](const Unsupported& u) {
    field(w, "operator", u.type);
    field(w, "count", u.count);
    field(w, "reason", u.reason);
  });
}

void write_facts(JsonWriter& w, const char* name, const std::vector<int>& buffers, const Steps& steps) {
  w.list(name, buffers, [&](int l) { write_text(w, text(steps.buffers[static_cast<size_t>(l)].fact)); });
}

}  // namespace

std::string describe(const ModelInfo& info) {
  return json_text([&](JsonWriter& w) {
    w.StartObject();
    write_info(w, info);
    w.EndObject();
  });
}

std::string describe(const Model& model) {
  return json_text([&](JsonWriter& w) {
    w.StartObject();
    write_info(w, model.info());
    field(w, "mapped_bytes", static_cast<int64_t>(model.mapped_bytes()));
    field(w, "isa", model.program()->selector().capability_name());
    field(w, "nodes", static_cast<int64_t>(model.program()->graph().order().size()));
    std::vector<SavingRecord::Rewrites> rewrites;
    for (const PassCount& c : model.pass_counts()) rewrites.push_back({c.name, c.count});
    write_rewrites(w, rewrites);
    w.EndObject();
  });
}

std::string describe_devices() {
  std::vector<std::pair<const char*, std::string>> missing;
  return json_text([&](JsonWriter& w) {
    w.StartObject();
    w.Key("devices");
    w.StartArray();
    for (const Device* device : all_devices()) {
      if (device->probe == nullptr) continue;
      Probe probe = device->probe();
      if (probe.devices.empty()) missing.emplace_back(device->name, std::move(probe.missing));
      int64_t index = 0;
      for (const DeviceInfo& info : probe.devices) {
        w.StartObject();
        field(w, "kind", device->name);
        field(w, "index", index++);
        field(w, "name", info.name);
        field(w, "driver", info.driver);
        field(w, "memory_bytes", static_cast<int64_t>(info.memory_bytes));
        field(w, "largest_block", static_cast<int64_t>(info.largest_allocation));
        field(w, "alignment", static_cast<int64_t>(info.alignment));
        field(w, "compute_units", int64_t{info.compute_units});
        w.Key("half");
        w.Bool(info.half);
        w.Key("shares_memory");
        w.Bool(info.shares_memory);
        w.EndObject();
      }
    }
    w.EndArray();
    w.Key("missing");
    w.StartArray();
    for (const auto& [kind, reason] : missing) {
      w.StartObject();
      field(w, "kind", kind);
      field(w, "reason", reason);
      w.EndObject();
    }
    w.EndArray();
    w.EndObject();
  });
}

std::string describe_engines(const std::vector<std::string>& names) {
  return json_text([&](JsonWriter& w) {
    w.StartObject();
    w.Key("engines");
    w.StartArray();
    for (const std::string& name : names) {
      w.StartObject();
      field(w, "name", name);
      if (const DeviceEngine* engine = find_device_engine(name)) {
        const std::string missing = engine->missing(engine->device);
        field(w, missing.empty() ? "version" : "missing", missing.empty() ? engine->version() : missing);
        if (missing.empty()) field(w, "file", std::string());
        w.EndObject();
        continue;
      }
      const FoundEngine found = find_engine(name);
      const std::string missing = found.engine == nullptr ? found.missing : found.engine->missing();
      if (missing.empty()) {
        field(w, "version", found.engine->version());
        field(w, "file", found.engine->file());
      } else {
        field(w, "missing", missing);
      }
      w.EndObject();
    }
    w.EndArray();
    w.EndObject();
  });
}

std::string describe_engines(const Model& model) {
  const EngineChoice& choice = model.options().engines;
  const CutReport& report = model.engine_report();
  std::vector<std::pair<const CutNode*, int64_t>> blocks;  // a node of each, and how many it has
  std::unordered_map<std::string_view, size_t> numbers;    // of blocks by their names
  for (const CutNode& node : report.nodes) {
    if (node.block.empty()) continue;
    const auto [known, added] = numbers.emplace(node.block, blocks.size());
    if (added) blocks.emplace_back(&node, 0);
    ++blocks[known->second].second;
  }
  return json_text([&](JsonWriter& w) {
    w.StartObject();
    w.objects("engines", choice.engines, [&](const UsedEngine& e) {
      field(w, "name", e.name);
      if (e.engine != nullptr) field(w, "version", e.engine->version());
      if (e.by_device != nullptr && e.missing.empty()) field(w, "version", e.by_device->version());
      if (!e.missing.empty()) field(w, "missing", e.missing);
    });
    w.Key("blocks");
    w.StartArray();
    for (const auto& [node, count] : blocks) {
      w.StartObject();
      field(w, "name", node->block);
      field(w, "engine", node->engine);
      field(w, "graph", node->graph);
      field(w, "nodes", count);
      const auto is_it = [name = node->block](const CutBlock& b) { return b.name == name; };
      const auto cut = std::find_if(report.cut.begin(), report.cut.end(), is_it);
      if (cut != report.cut.end()) {  // else nobody reads what it computes
        field(w, "operands", static_cast<int64_t>(cut->region->inputs().size()));
        field(w, "results", static_cast<int64_t>(cut->region->outputs().size()));
      }
      w.EndObject();
    }
    w.EndArray();
    field(w, "cutting_us", static_cast<int64_t>(report.taken.count()));
    w.objects("nodes", report.nodes, [&](const CutNode& node) {
      field(w, "graph", node.graph);
      field(w, "node", node.node);
      field(w, "op", node.op);
      if (!node.makes.empty()) field(w, "makes", node.makes);
      if (!node.block.empty()) field(w, "block", node.block);
      if (!node.cause.empty()) field(w, "cause", node.cause);
    });
    w.EndObject();
  });
}

std::string describe(const Steps& steps, const Graph& graph, const KernelSelector& selector) {
  const std::vector<std::string> in_float32 = why_left(graph);
  return json_text([&](JsonWriter& w) {
    w.StartArray();
    const auto write = [&](const Step& step, size_t group) {
      w.StartObject();
      field(w, "node",
            step.node == kNoNode ? std::string_view("(planner)") : std::string_view(graph.node(step.node).name));
      field(w, "op", step.op.name());
      field(w, "kernel", step.kernel->name);
      if (group > 0) field(w, "row_tiles", static_cast<int64_t>(group));
      field(w, "place", selector.name_of(step.place));
      if (!step.cause.empty()) field(w, "cause", step.cause);
      if (const int64_t flops = operator_cost(steps, step).flops; flops > 0) {
        field(w, "multiply_adds", flops / 2);
      }
      if (step.node != kNoNode && !in_float32[index(step.node)].empty()) {
        field(w, "in_float32", in_float32[index(step.node)]);
      }
      if (step.copy != nullptr) {
        int64_t bytes = 0;
        for (const Transfer& t : step.copy->transfers) bytes += static_cast<int64_t>(t.bytes);
        field(w, "direction", step.copy->upload ? "to" : "from");
        field(w, "copied_bytes", bytes);
        field(w, "transfers", static_cast<int64_t>(step.copy->transfers.size()));
      }
      write_facts(w, "inputs", step.in, steps);
      write_facts(w, "outputs", step.out, steps);
      w.objects("refused", step.refusals, [&](const Refusal& r) {
        field(w, "kernel", r.kernel->name);
        field(w, "reason", r.reason);
      });
      w.EndObject();
    };
    size_t group = 0;
    for (const Step& step : steps.steps) {
      if (step.parts.empty()) {
        write(step, 0);
        continue;
      }
      ++group;
      for (const Step& part : step.parts) write(part, group);
    }
    w.EndArray();
  });
}

}  // namespace coracle::internal
