// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/system/native_path.h"
#include "base/system/program.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/text.h"
#include "client/size_ranges.h"
#include "paddle/detail/engine_options.h"

namespace coracle::cli {
namespace {

#if defined(__x86_64__)
constexpr const char* kIsa = "avx2";
#else
constexpr const char* kIsa = "neon";
#endif

/// The last two sizes of "float32[32, 1, 3, 3]", as "3x3".
std::string filter_size(std::string_view weights) {
  weights = weights.substr(0, weights.find(']'));
  const size_t last = weights.rfind(", ");
  if (last == std::string_view::npos || last == 0) return {};
  const size_t before = weights.find_last_of(" [", last - 1);
  if (before == std::string_view::npos) return {};
  return std::string(weights.substr(before + 1, last - before - 1)) + "x" + std::string(weights.substr(last + 2));
}

/// What models need of a library.
struct Needs {
  std::set<std::string, std::less<>> operators;
  std::set<std::string, std::less<>> kernels;
  std::set<std::string, std::less<>> references;  ///< operators that are evaluated without a kernel
  std::set<std::string, std::less<>> types;
  std::set<std::string, std::less<>> filters;  ///< sizes of depthwise ones
  bool all_kernels = false;                    ///< what runs seldom, as a branch, was not seen

  /// What a model says of itself.
  void add_operators(const std::string& json) {
    internal::JsonDocument d;
    d.Parse(json.c_str());
    const internal::JsonValue& counts = d["operators"];
    for (const auto& entry : counts.GetObject()) {
      const std::string_view name = entry.name.GetString();
      operators.emplace(name);
      all_kernels = all_kernels || name == "if" || name == "while";
    }
  }

  /// Of nodes that have no step, some compute sizes: planning evaluates them.
  void add_evaluated(const std::string& description, const std::string& steps) {
    internal::JsonDocument model;
    model.Parse(description.c_str());
    internal::JsonDocument plan;
    plan.Parse(steps.c_str());
    std::map<std::string, int64_t, std::less<>> run;
    for (const internal::JsonValue& step : plan.GetArray()) ++run[step["op"].GetString()];
    const internal::JsonValue& counts = model["operators"];
    for (const auto& entry : counts.GetObject()) {
      if (run[entry.name.GetString()] < entry.value.GetInt64()) references.insert(entry.name.GetString());
    }
  }

  void add_steps(const std::string& json) {
    internal::JsonDocument d;
    d.Parse(json.c_str());
    for (const internal::JsonValue& step : d.GetArray()) {
      const std::string_view kernel = step["kernel"].GetString();
      operators.insert(step["op"].GetString());
      if (kernel == "reference") {
        references.insert(step["op"].GetString());
      } else {
        kernels.emplace(kernel);
      }
      if (!step.HasMember("inputs")) continue;
      if (kernel.find(".depthwise.") != std::string_view::npos)
        filters.insert(filter_size(step["inputs"][1].GetString()));
      for (const char* list : {"inputs", "outputs"}) {
        for (const internal::JsonValue& fact : step[list].GetArray()) {
          const std::string_view text = fact.GetString();
          types.emplace(text.substr(0, text.find('[')));
        }
      }
    }
  }

  std::string text(const std::vector<std::string>& models, const std::string& isa) const {
    std::string out = "# Made by coracle tailor: what these models need of a library.\n";
    for (const std::string& model : models) out += "# " + printable(model) + "\n";
    out += "isa " + isa + "\n";
    for (const std::string& name : operators) out += "operator " + name + "\n";
    if (all_kernels) {
      out += "# Models with branches or loops: every kernel of the operators.\n";
    } else {
      for (const std::string& name : kernels) out += "kernel " + name + "\n";
      for (const std::string& size : filters) out += "filter " + size + "\n";
    }
    for (const std::string& name : references) out += "reference " + name + "\n";
    for (const std::string& name : types) out += "type " + name + "\n";
    return out;
  }
};

/// Runs a program, whose output is this one's. Throws Failure unless it succeeds.
void run_tool(const std::vector<std::string>& words) {
  const internal::Ended ended = internal::run_to_end(words);
  if (ended.error != 0) throw Failure(ExitCode::kIo, words[0] + " cannot be started: " + std::strerror(ended.error));
  if (ended.status != 0)
    throw Failure(ExitCode::kRunFailure, words[0] + " failed, see above; the list of what the models need is written");
}

struct TailorCommand {
  std::vector<std::string> models;
  std::string output;
  std::vector<std::string> shapes;
  std::string isa = kIsa;
  std::string source;
  int jobs = 2;

  void add_options(CLI::App* command) {
    command->add_option("models", models, "saved models (.coracle)")->required();
    command->add_option("-o,--output", output, "folder for the list and for the library")->required();
    command
        ->add_option("--shape", shapes,
                     "[MODEL:]INPUT=1,3,224,224: sizes that the models are run with; ranges as of optimize")
        ->type_name("SHAPE");
    command->add_option("--isa", isa, std::string("instruction set of the library (default: ") + kIsa + ")")
        ->type_name("avx2|avx512|sse2|neon");
    command
        ->add_option("--source", source,
                     "Coracle's source, to build the library from; without, the commands are printed")
        ->type_name("FOLDER");
    command->add_option("--jobs", jobs, "compilers at a time")->check(CLI::Range(1, 1024));
  }

  /// A shape as a model has it: one that names none, or the model's file in front.
  static std::optional<std::string> shape_for(const std::string& model, const std::string& shape) {
    const std::string prefix = internal::path_text(internal::native_path(model).filename()) + ":";
    if (shape.starts_with(prefix)) return shape.substr(prefix.size());
    const size_t colon = shape.find(':');
    if (colon == std::string::npos || colon > shape.find('=')) return shape;
    return std::nullopt;
  }

  /// What is wrong is said before models are run.
  void check() const {
    std::error_code error;
    for (const std::string& model : models) {
      if (!std::filesystem::exists(internal::native_path(model), error))
        throw Failure(ExitCode::kIo, "no such model: " + printable(model));
    }
    for (const std::string& shape : shapes) {
      const auto is_for = [&](const std::string& model) { return shape_for(model, shape).has_value(); };
      if (std::none_of(models.begin(), models.end(), is_for)) {
        throw Failure(ExitCode::kUsage, "--shape " + printable(shape) + " names none of the models");
      }
    }
    if (!source.empty() &&
        !std::filesystem::exists(internal::native_path(source + "/src/light/CMakeLists.txt"), error)) {
      throw Failure(ExitCode::kIo, "--source " + printable(source) + " is not Coracle's source: it has no src/light");
    }
  }

  void look_at(const std::string& path, Needs& needs) const {
    if (!paddle::detail::is_saved_model(path)) {
      throw Failure(ExitCode::kUsage, printable(path) +
                                          " is not a saved model, the only kind that such a library opens: " +
                                          "make one with 'coracle optimize MODEL -o FILE.coracle'");
    }
    coracle::ModelOptions options;
    options.cpu_isa = isa;
    const coracle::Model model(path, "", options);
    needs.add_operators(model.description());
    std::vector<std::string> own;
    for (const std::string& shape : shapes) {
      if (std::optional<std::string> for_path = shape_for(path, shape)) own.push_back(*std::move(for_path));
    }
    for (const std::vector<std::string>& sizes : client::each_size(own)) {
      coracle::Session session(model);
      InputOptions inputs;
      inputs.shapes = sizes;
      set_inputs(model, inputs, session);
      session.set_profiling(true);
      Interruption::run(session);
      needs.add_evaluated(model.description(), session.explain());
      needs.add_steps(session.explain());
      needs.add_steps(session.profile());
    }
  }

  void run() const {
    check();
    Needs needs;
    for (const std::string& model : models) look_at(model, needs);
    std::error_code failed;
    std::filesystem::create_directories(internal::native_path(output), failed);
    if (failed) throw Failure(ExitCode::kIo, printable(output) + " cannot be made: " + failed.message());
    const std::string folder = internal::path_text(std::filesystem::absolute(internal::native_path(output)));
    const std::string list = folder + "/kernels.txt";
    coracle::write_file(list, needs.text(models, isa));
    fmt::print("{}: {} operators, {} kernels\n", printable(list), needs.operators.size(), needs.kernels.size());
    const std::vector<std::string> configure = {"cmake",
                                                "-S",
                                                source.empty() ? "SOURCE" : source,
                                                "-B",
                                                folder + "/build",
                                                "-DCMAKE_BUILD_TYPE=Release",
                                                "-DCORACLE_TAILOR=" + list,
                                                "-DCORACLE_ISAS=" + isa,
                                                "-DCORACLE_LIGHT_ISA=" + isa,
                                                "-DCORACLE_LIGHT_OUTPUT=" + folder,
                                                "-DBUILD_TESTING=OFF",
                                                "-DCORACLE_BUILD_PROGRAM=OFF",
                                                "-DCORACLE_BUILD_DEVICES=OFF",
                                                "-DCORACLE_BUILD_ENGINES=OFF",
                                                "-DCORACLE_BUILD_EXAMPLES=OFF",
                                                "-DCORACLE_BUILD_VISION=OFF",
                                                "-DCORACLE_BUILD_TRITON=OFF"};
    const std::vector<std::string> build = {
        "cmake",    "--build",       folder + "/build",     "-j", std::to_string(jobs),
        "--target", "coracle_light", "coracle_light_static"};
    if (source.empty()) {
      fmt::print("To build the library, with Coracle's source at SOURCE (or --source SOURCE here):\n");
      for (const auto* words : {&configure, &build}) {
        std::string line;
        for (const std::string& word : *words) line += (line.empty() ? "  " : " ") + printable(word);
        fmt::print("{}\n", line);
      }
      return;
    }
    run_tool(configure);
    run_tool(build);
    fmt::print("{0}/libcoracle_light.so and {0}/libcoracle_light.a run these models\n", printable(folder));
  }
};

}  // namespace

void add_tailor(CLI::App& app) {
  add_command<TailorCommand>(
      app, "tailor", "Makes a small library that runs some models alone",
      "Writes to the folder which operators, kernels and types the saved models need, with the sizes that are given "
      "(else the declared ones), and builds of them a light library (docs/light.md): libcoracle_light.so and .a. "
      "Other sizes run with the kernels that are there; a model that needs another operator or kernel is refused with "
      "its name.\n"
      "\nExamples:\n"
      "  coracle tailor mobilenet.coracle -o small --source coracle-src\n"
      "  coracle tailor det.coracle rec.coracle -o small --shape det.coracle:x=1,3,640,640 --shape "
      "rec.coracle:x=1,3,48,320 --source coracle-src");
}

}  // namespace coracle::cli
