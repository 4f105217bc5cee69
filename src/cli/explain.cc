// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string_view>

#include "base/json.h"
#include "cli/commands.h"

namespace coracle::cli {
namespace {

/// Engines, the blocks that they run, and the reasons of what runs natively.
void print_engines(const std::string& text) {
  internal::JsonDocument d;
  d.Parse(text.c_str());
  for (const internal::JsonValue& e : d["engines"].GetArray()) {
    const bool missing = e.HasMember("missing");
    fmt::print("engine {}: {}{}\n", e["name"].GetString(), missing ? "missing: " : "",
               e[missing ? "missing" : "version"].GetString());
  }
  for (const internal::JsonValue& b : d["blocks"].GetArray()) {
    fmt::print("block {} on {}: {} nodes of {}\n", b["name"].GetString(), b["engine"].GetString(),
               b["nodes"].GetInt64(), b["graph"].GetString());
  }
  for (const internal::JsonValue& n : d["nodes"].GetArray()) {
    const bool on_engine = n.HasMember("block");
    fmt::print("{:<28} {:<20} {}\n", n["node"].GetString(), n["op"].GetString(),
               on_engine ? n["block"].GetString() : "natively");
    if (n.HasMember("cause")) fmt::print("    {}\n", n["cause"].GetString());
  }
}

/// How much of a model that simulates integers is computed with them.
void print_integers(const internal::JsonDocument& steps) {
  int64_t all = 0;
  int64_t in_integers = 0;
  bool simulated = false;
  for (const internal::JsonValue& step : steps.GetArray()) {
    simulated = simulated || step.HasMember("in_float32");
    if (!step.HasMember("multiply_adds")) continue;
    const int64_t n = step["multiply_adds"].GetInt64();
    all += n;
    if (!std::string_view(step["inputs"][0].GetString()).starts_with("int8")) continue;
    in_integers += n;
    simulated = true;
  }
  if (!simulated || all == 0) return;
  fmt::print("int8: {:.1f} % of {} multiply-adds\n",
             100.0 * static_cast<double>(in_integers) / static_cast<double>(all), all);
}

struct ExplainCommand {
  ModelArguments arguments;
  SessionArguments session_arguments;
  bool json = false;

  void add_options(CLI::App* command) {
    add_model_options(command, arguments);
    add_session(command, session_arguments);
    command->add_flag("--json", json, "print JSON");
  }
  void run() const;
};

void ExplainCommand::run() const {
  const coracle::Model model(arguments.model, arguments.params, arguments.options);
  internal::JsonDocument named;
  named.Parse(model.engines().c_str());
  const bool engines = !named["engines"].Empty();  // asked for, or by the model itself
  coracle::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  const std::string text = session.explain();
  if (json) {
    if (engines) {
      fmt::print("{{\"engines\":{},\"steps\":{}}}\n", model.engines(), text);
    } else {
      fmt::print("{}\n", text);
    }
    return;
  }
  if (engines) print_engines(model.engines());
  internal::JsonDocument d;
  d.Parse(text.c_str());
  for (const internal::JsonValue& step : d.GetArray()) {
    const std::string output = step["outputs"].Empty() ? "" : step["outputs"][0].GetString();
    const std::string tiled =
        step.HasMember("row_tiles") ? fmt::format("  in row tiles, group {}", step["row_tiles"].GetInt64()) : "";
    fmt::print("{:<28} {:<20} {:<28} {}{}\n", step["node"].GetString(), step["op"].GetString(),
               step["kernel"].GetString(), output, tiled);
    const std::string place = step["place"].GetString();
    if (step.HasMember("copied_bytes")) {
      const int64_t transfers = step["transfers"].GetInt64();
      fmt::print("    {} {}: {} bytes of {} tensor{} in {} transfer{}\n", step["direction"].GetString(), place,
                 step["copied_bytes"].GetInt64(), step["outputs"].Size(), step["outputs"].Size() == 1 ? "" : "s",
                 transfers, transfers == 1 ? "" : "s");
    } else if (step.HasMember("cause")) {
      fmt::print("    on {}: {}\n", place, step["cause"].GetString());
    } else if (place != "cpu") {
      fmt::print("    on {}\n", place);
    }
    for (const internal::JsonValue& r : step["refused"].GetArray()) {
      fmt::print("    not {}: {}\n", r["kernel"].GetString(), r["reason"].GetString());
    }
    if (step.HasMember("in_float32")) fmt::print("    in float32: {}\n", step["in_float32"].GetString());
  }
  print_integers(d);
}

}  // namespace

void add_explain(CLI::App& app) {
  add_command<ExplainCommand>(
      app, "explain", "Says which kernel runs each node, and why not a better one",
      "Examples:\n"
      "  coracle explain model_dir --shape x=1,3,640,640\n"
      "  coracle explain model_dir --shape x=1,3,640,640 --isa avx2 --disable-kernels conv2d.winograd\n"
      "  coracle explain model_dir --shape x=1,3,640,640 --device opencl                         places and copies\n"
      "  coracle explain model_dir --shape x=1,3,640,640 --engines openvino                      blocks of engines");
}

}  // namespace coracle::cli
