// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/json.h"
#include "cli/commands.h"

namespace coracle::cli {
namespace {

void print_tensors(const char* title, const internal::JsonValue& list) {
  fmt::print("{}\n", title);
  int i = 0;
  for (const internal::JsonValue& t : list.GetArray()) {
    std::string shape;
    if (t["shape"].IsArray()) {
      for (const internal::JsonValue& d : t["shape"].GetArray()) {
        shape.append(shape.empty() ? "" : ", ").append(d.GetInt64() < 0 ? "?" : std::to_string(d.GetInt64()));
      }
    } else {
      shape = "...";
    }
    fmt::print("  {}  {}  {}[{}]\n", i++, t["name"].GetString(), t["dtype"].GetString(), shape);
  }
}

double mebibytes(const internal::JsonValue& bytes) { return static_cast<double>(bytes.GetUint64()) / 1048576.0; }

/// "memory": weights as read; with shapes also what a run of such shapes takes besides.
void add_memory(const ModelArguments& arguments, const InputOptions& inputs, internal::JsonDocument& d) {
  internal::JsonValue memory(rapidjson::kObjectType);
  const auto add = [&](const char* name, size_t bytes) {
    memory.AddMember(rapidjson::StringRef(name), internal::JsonValue(uint64_t{bytes}), d.GetAllocator());
  };
  add("weights", d["parameters"]["bytes"].GetUint64());
  if (!inputs.shapes.empty() || !inputs.files.empty()) {
    const coracle::Model model(arguments.model, arguments.params, arguments.options);
    coracle::Session session(model, {.threads = 1});
    set_inputs(model, inputs, session);
    add("run", session.planned_memory());
  }
  d.AddMember("memory", memory, d.GetAllocator());
}

/// Who made a saved model, and of what.
void print_saved(const internal::JsonValue& saved) {
  std::string rewrites;
  for (const internal::JsonValue& r : saved["rewrites"].GetArray()) {
    rewrites.append(rewrites.empty() ? "" : ", ")
        .append(fmt::format("{} {}", r["count"].GetInt64(), r["pass"].GetString()));
  }
  fmt::print("saved by    Coracle {}, format {}, operators {}\nmade of     {} ({})\nrewrites    {}\n",
             saved["by"].GetString(), saved["format"].GetString(), saved["operators"].GetInt64(),
             saved["source"].GetString(), saved["source_format"].GetString(), rewrites.empty() ? "none" : rewrites);
  for (const internal::JsonValue& name : saved["left_out"].GetArray()) fmt::print("left out    {}\n", name.GetString());
  if (saved["blocks"].GetInt64() != 0) {
    fmt::print("blocks      {} for engines, {} compiled\n", saved["blocks"].GetInt64(), saved["compiled"].GetInt64());
  }
}

struct InspectCommand {
  ModelArguments arguments;
  InputOptions inputs;
  bool json = false;

  void add_options(CLI::App* command) {
    add_model(command, arguments);
    add_inputs(command, inputs);
    command->add_flag("--check", arguments.options.check_weights,
                      "compare a saved model's weights with their checksums");
    command->add_flag("--json", json, "print JSON");
  }
  void run() const;
};

void InspectCommand::run() const {
  internal::JsonDocument d;
  d.Parse(coracle::inspect(arguments.model, arguments.params).c_str());
  if (arguments.options.check_weights) coracle::Model(arguments.model, arguments.params, arguments.options);
  add_memory(arguments, inputs, d);
  if (json) {
    internal::JsonBuffer buffer;
    internal::JsonWriter writer(buffer);
    d.Accept(writer);
    fmt::print("{}\n", buffer.GetString());
    return;
  }
  fmt::print("file        {}\n", d["file"].GetString());
  for (const internal::JsonValue& other : d["passed_over"].GetArray()) {
    fmt::print("not taken   {} (name it to take it)\n", other.GetString());
  }
  fmt::print("format      {}\nproducer    {}\n", d["format"].GetString(),
             d["producer"].GetStringLength() == 0 ? "(not stated)" : d["producer"].GetString());
  if (d.HasMember("saved")) print_saved(d["saved"]);
  print_tensors("inputs", d["inputs"]);
  print_tensors("outputs", d["outputs"]);
  const internal::JsonValue& parameters = d["parameters"];
  fmt::print("parameters  {} tensors, {} elements, {:.2f} MiB\n", parameters["count"].GetInt64(),
             parameters["elements"].GetInt64(), mebibytes(parameters["bytes"]));
  const internal::JsonValue& memory = d["memory"];
  fmt::print("memory      about {:.2f} MiB for weights as read and packed, ", 2.0 * mebibytes(memory["weights"]));
  if (memory.HasMember("run")) {
    fmt::print("{:.2f} MiB for the tensors of a run of these shapes\n", mebibytes(memory["run"]));
  } else {
    fmt::print("and what a run takes (--shape NAME=... tells)\n");
  }
  fmt::print("operators\n");
  const internal::JsonValue& operators = d["operators"];
  for (auto o = operators.MemberBegin(); o != operators.MemberEnd(); ++o) {
    fmt::print("  {:6}  {}\n", o->value.GetInt64(), o->name.GetString());
  }
  if (d["unsupported"].Empty()) {
    fmt::print("all operators are supported\n");
    return;
  }
  fmt::print("not supported\n");
  for (const internal::JsonValue& u : d["unsupported"].GetArray()) {
    fmt::print("  {:6}  {}: {}\n", u["count"].GetInt64(), u["operator"].GetString(), u["reason"].GetString());
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  add_command<InspectCommand>(app, "inspect", "Says what is in a model",
                              "Examples:\n"
                              "  coracle inspect inference.pdmodel\n"
                              "  coracle inspect model_dir --json\n"
                              "  coracle inspect model_dir --shape x=1,3,640,640     with the memory of such a run");
}

}  // namespace coracle::cli
