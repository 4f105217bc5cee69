// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/json.h"
#include "cli/commands.h"

namespace coracle::cli {
namespace {

void print_tensors(const char* title, const JsonValue& list) {
  fmt::print("{}\n", title);
  int i = 0;
  for (const JsonValue& t : list.GetArray()) {
    std::string shape;
    if (t["shape"].IsArray()) {
      for (const JsonValue& d : t["shape"].GetArray()) {
        shape.append(shape.empty() ? "" : ", ").append(d.GetInt64() < 0 ? "?" : std::to_string(d.GetInt64()));
      }
    } else {
      shape = "...";
    }
    fmt::print("  {}  {}  {}[{}]\n", i++, t["name"].GetString(), t["dtype"].GetString(), shape);
  }
}

double mebibytes(const JsonValue& bytes) { return static_cast<double>(bytes.GetUint64()) / 1048576.0; }

/// "memory": weights as read; with shapes also what a run of such shapes takes besides.
void add_memory(const ModelArguments& arguments, const InputOptions& inputs, JsonDocument& d) {
  JsonValue memory(rapidjson::kObjectType);
  const auto add = [&](const char* name, size_t bytes) {
    memory.AddMember(rapidjson::StringRef(name), JsonValue(uint64_t{bytes}), d.GetAllocator());
  };
  add("weights", d["parameters"]["bytes"].GetUint64());
  if (!inputs.shapes.empty() || !inputs.files.empty()) {
    const api::Model model(arguments.model, arguments.params, arguments.options);
    api::Session session(model, {.threads = 1});
    set_inputs(model, inputs, session);
    add("run", session.planned_memory());
  }
  d.AddMember("memory", memory, d.GetAllocator());
}

/// Who made a saved model, and of what.
void print_saved(const JsonValue& saved) {
  std::string rewrites;
  for (const JsonValue& r : saved["rewrites"].GetArray()) {
    rewrites.append(rewrites.empty() ? "" : ", ")
        .append(fmt::format("{} {}", r["count"].GetInt64(), r["pass"].GetString()));
  }
  fmt::print("saved by    Coracle {}, format {}, operators {}\nmade of     {} ({})\nrewrites    {}\n",
             saved["by"].GetString(), saved["format"].GetString(), saved["operators"].GetInt64(),
             saved["source"].GetString(), saved["source_format"].GetString(), rewrites.empty() ? "none" : rewrites);
  for (const JsonValue& name : saved["left_out"].GetArray()) fmt::print("left out    {}\n", name.GetString());
  if (saved["blocks"].GetInt64() != 0) {
    fmt::print("blocks      {} for engines, {} compiled\n", saved["blocks"].GetInt64(), saved["compiled"].GetInt64());
  }
}

}  // namespace

void inspect(const ModelArguments& arguments, const InputOptions& inputs, bool json) {
  JsonDocument d;
  d.Parse(api::inspect(arguments.model, arguments.params).c_str());
  if (arguments.options.check_weights) api::Model(arguments.model, arguments.params, arguments.options);
  add_memory(arguments, inputs, d);
  if (json) {
    JsonBuffer buffer;
    JsonWriter writer(buffer);
    d.Accept(writer);
    fmt::print("{}\n", buffer.GetString());
    return;
  }
  fmt::print("file        {}\n", d["file"].GetString());
  for (const JsonValue& other : d["passed_over"].GetArray()) {
    fmt::print("not taken   {} (name it to take it)\n", other.GetString());
  }
  fmt::print("format      {}\nproducer    {}\n", d["format"].GetString(),
             d["producer"].GetStringLength() == 0 ? "(not stated)" : d["producer"].GetString());
  if (d.HasMember("saved")) print_saved(d["saved"]);
  print_tensors("inputs", d["inputs"]);
  print_tensors("outputs", d["outputs"]);
  const JsonValue& parameters = d["parameters"];
  fmt::print("parameters  {} tensors, {} elements, {:.2f} MiB\n", parameters["count"].GetInt64(),
             parameters["elements"].GetInt64(), mebibytes(parameters["bytes"]));
  const JsonValue& memory = d["memory"];
  fmt::print("memory      about {:.2f} MiB for weights as read and packed, ", 2.0 * mebibytes(memory["weights"]));
  if (memory.HasMember("run")) {
    fmt::print("{:.2f} MiB for the tensors of a run of these shapes\n", mebibytes(memory["run"]));
  } else {
    fmt::print("and what a run takes (--shape NAME=... tells)\n");
  }
  fmt::print("operators\n");
  const JsonValue& operators = d["operators"];
  for (auto o = operators.MemberBegin(); o != operators.MemberEnd(); ++o) {
    fmt::print("  {:6}  {}\n", o->value.GetInt64(), o->name.GetString());
  }
  if (d["unsupported"].Empty()) {
    fmt::print("all operators are supported\n");
    return;
  }
  fmt::print("not supported\n");
  for (const JsonValue& u : d["unsupported"].GetArray()) {
    fmt::print("  {:6}  {}: {}\n", u["count"].GetInt64(), u["operator"].GetString(), u["reason"].GetString());
  }
}

}  // namespace coracle::cli
