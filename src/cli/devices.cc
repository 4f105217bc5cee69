// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/format.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/machine.h"

// What --version and `devices` say.
namespace coracle::cli {

internal::JsonDocument other_devices() {
  internal::JsonDocument d;
  d.Parse(coracle::devices().c_str());
  return d;
}

internal::JsonDocument engines_here() {
  internal::JsonDocument d;
  d.Parse(coracle::engines().c_str());
  return d;
}

std::string device_name(const internal::JsonValue& device) {
  return fmt::format("{}:{}", device["kind"].GetString(), device["index"].GetInt());
}

namespace {

/// Whose code is in the program and its library; the texts are in THIRD_PARTY_NOTICES.
struct Component {
  const char* name;
  const char* licence;
};
constexpr Component kComponents[] = {
    {"Highway", "Apache-2.0"},     {"protozero", "BSD-2-Clause"},    {"RapidJSON", "MIT"},
    {"FlatBuffers", "Apache-2.0"}, {"OpenCL headers", "Apache-2.0"}, {"fmt", "MIT"},
    {"CLI11", "BSD-3-Clause"}};

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

/// "L1 data 32 KiB"
std::string text(const Cache& c) {
  const std::string type = c.type == "Data" ? " data" : (c.type == "Instruction" ? " instructions" : "");
  return fmt::format("L{}{} {}", c.level, type, bytes_text(c.bytes));
}

/// Of devices beside the CPU: what the library says, under the name that --device takes.
void write_others(internal::JsonWriter& w, const internal::JsonDocument& others) {
  for (const internal::JsonValue& device : others["devices"].GetArray()) {
    w.StartObject();
    w.field("name", device_name(device));
    for (const auto& field : device.GetObject()) {
      const std::string_view name = field.name.GetString();
      w.Key(name == "name" ? "device" : name.data());
      field.value.Accept(w);
    }
    w.EndObject();
  }
}

void print_others(const internal::JsonDocument& others) {
  for (const internal::JsonValue& d : others["devices"].GetArray()) {
    const auto bytes = [&](const char* name) { return bytes_text(d[name].GetInt64()); };
    fmt::print("{}  {}\n", device_name(d), d["name"].GetString());
    fmt::print("  driver            {}\n", d["driver"].GetString());
    fmt::print("  compute units     {}\n", d["compute_units"].GetInt());
    fmt::print("  float16           {}\n", d["half"].GetBool() ? "in memory and in kernels" : "in memory");
    fmt::print("  memory            {}, {} in one block{}\n", bytes("memory_bytes"), bytes("largest_block"),
               d["shares_memory"].GetBool() ? ", the host's" : "");
  }
  for (const internal::JsonValue& m : others["missing"].GetArray()) {
    fmt::print("{}  none: {}\n", m["kind"].GetString(), m["reason"].GetString());
  }
}

void print_engines(const internal::JsonDocument& engines) {
  for (const internal::JsonValue& e : engines["engines"].GetArray()) {
    if (e.HasMember("missing")) {
      fmt::print("engine {}  none: {}\n", e["name"].GetString(), e["missing"].GetString());
      continue;
    }
    fmt::print("engine {}  {}\n", e["name"].GetString(), e["version"].GetString());
    if (e["file"].GetStringLength() > 0) fmt::print("  file              {}\n", e["file"].GetString());
  }
}

void print_json(const Machine& m) {
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  w.StartObject();
  w.Key("devices");
  w.StartArray();
  w.StartObject();
  w.field("name", "cpu");
  w.field("processor", m.processor);
  w.field("isa", coracle_cpu_isa());
  w.list("isas", usable_instruction_sets());
  w.field("tiles", has_tiles(m));
  w.field("processors", m.online);
  w.field("allowed", m.allowed);
  w.field("threads", coracle_default_threads());
  w.field("threads_per_core", m.threads_per_core);
  w.field("numa_nodes", m.numa_nodes);
  w.field("memory_bytes", m.memory_bytes);
  w.field("memory_available", m.memory_available);
  w.objects("caches", m.caches, [&](const Cache& c) {
    w.field("level", c.level);
    w.field("type", c.type);
    w.field("bytes", c.bytes);
    w.field("shared", c.shared);
  });
  w.EndObject();
  const internal::JsonDocument others = other_devices();
  write_others(w, others);
  w.EndArray();
  w.Key("missing");
  others["missing"].Accept(w);
  w.Key("engines");
  engines_here()["engines"].Accept(w);
  w.EndObject();
  fmt::print("{}\n", buffer.GetString());
}

struct DevicesCommand {
  bool json = false;

  void add_options(CLI::App* command) { command->add_flag("--json", json, "print JSON"); }
  void run() const;
};

void DevicesCommand::run() const {
  const Machine m = read_machine();
  if (json) {
    print_json(m);
    return;
  }
  std::vector<std::string> caches;
  for (const Cache& c : m.caches) caches.push_back(text(c));
  std::vector<std::string> sets = usable_instruction_sets();
  fmt::print("cpu  {}\n", m.processor);
  fmt::print("  processors        {} of {}, {} threads by default\n", m.allowed, m.online, coracle_default_threads());
  fmt::print("  instruction sets  {}; {} is used\n", fmt::join(sets, ", "), coracle_cpu_isa());
  fmt::print("  matrix tiles      {}\n", has_tiles(m) ? "bfloat16 (Intel AMX)" : "none");
  fmt::print("  caches            {}\n", caches.empty() ? "not told" : fmt::format("{}", fmt::join(caches, ", ")));
  fmt::print("  memory            {}, {} available\n", bytes_text(m.memory_bytes), bytes_text(m.memory_available));
  print_others(other_devices());
  print_engines(engines_here());
}

}  // namespace

std::string version_text() {
  std::string components;
  for (const Component& c : kComponents) {
    components += fmt::format("{}{} ({})", components.empty() ? "" : ", ", c.name, c.licence);
  }
  return fmt::format(
      "coracle {}\n"
      "models            ProgramDesc (.pdmodel, __model__), PIR (.json)\n"
      "instruction sets  {}; on this machine {}\n"
      "matrix tiles      {}\n"
      "compiler          {}\n"
      "licence           Apache-2.0; with code of {}",
      coracle_version(), fmt::join(instruction_sets(), ", "), coracle_cpu_isa(),
      has_tiles(read_machine()) ? "bfloat16 (Intel AMX)" : "none on this machine", compiler(), components);
}

void add_devices(CLI::App& app) {
  add_command<DevicesCommand>(
      app, "devices", "Says what runs models here",
      "Processors and other devices, and the engines that may run parts of models, with what is missing.\n"
      "\nExamples:\n"
      "  coracle devices\n"
      "  coracle devices --json");
}

}  // namespace coracle::cli
