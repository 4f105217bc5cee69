// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/quantize/report.h"
#include "cli/quantize/trial.h"
#include "cli/run_folder.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// Sets fewer than these say little of how far values reach.
constexpr size_t kFewSets = 16;
/// One of so many sets is held back to measure the answers with.
constexpr size_t kHeldBack = 5;

/// The files of a ProgramDesc model.
struct ModelPaths {
  std::string program;
  std::string parameters;
};

ModelPaths paths_of(const ModelArguments& arguments) {
  JsonDocument d;
  d.Parse(api::inspect(arguments.model, arguments.params).c_str());
  const std::string program = d["file"].GetString();
  const std::string format = d["format"].GetString();
  if (format != "ProgramDesc") {
    throw Failure(ExitCode::kUnsupported,
                  fmt::format("{}: its format is {}; only ProgramDesc models (.pdmodel, __model__) can be quantised",
                              printable(program), format));
  }
  if (!fs::is_regular_file(program)) {
    throw Failure(ExitCode::kUnsupported, printable(program) + ": unpack the archive first, it is read as files");
  }
  const JsonValue& operators = d["operators"];
  for (auto op = operators.MemberBegin(); op < operators.MemberEnd(); ++op) {
    const std::string name = op->name.GetString();
    if (name.find("quantize") == std::string::npos) continue;
    throw Failure(ExitCode::kUnsupported, fmt::format("{}: it is quantised already ({} of {})", printable(program),
                                                      op->value.GetInt64(), name));
  }
  return {program, parameters_path(program, arguments.params)};
}

struct Split {
  std::vector<InputOptions> seen;
  std::vector<InputOptions> held_back;
};

/// Every fifth set is held back, of fewer the last; of a single one the answers are measured with itself.
Split split(const std::vector<InputOptions>& sets) {
  Split s;
  for (size_t i = 0; i < sets.size(); ++i) {
    const bool held = i % kHeldBack == kHeldBack - 1 || (sets.size() < kHeldBack && i + 1 == sets.size());
    (held ? s.held_back : s.seen).push_back(sets[i]);
  }
  if (s.seen.empty()) s.seen = s.held_back;
  return s;
}

/// Enough sets to tell methods apart.
std::vector<InputOptions> first(const std::vector<InputOptions>& sets) {
  constexpr size_t kMost = 8;
  return {sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(std::min(sets.size(), kMost))};
}

/// NAME.coracle, NAME.pdmodel with NAME.pdiparams beside it, or a folder of inference.pdmodel and what goes with it.
void write_model(const ModelBytes& model, const std::string& output, const std::string& original) {
  const fs::path path(output);
  const auto span = [](const std::string& s) {
    return api::Span<const std::byte>(reinterpret_cast<const std::byte*>(s.data()), s.size());
  };
  if (path.extension() == ".coracle") {
    api::Model(span(model.program), span(model.parameters)).save(output);
    return;
  }
  fs::path program = path;
  if (path.extension() != ".pdmodel") {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw Failure(ExitCode::kIo, printable(output) + ": cannot be made: " + error.message());
    program = path / "inference.pdmodel";
    for (const char* beside : {"inference.yml", "infer_cfg.yml", "deploy.yaml"}) {
      const fs::path from = fs::path(original).parent_path() / beside;
      if (fs::exists(from, error)) fs::copy_file(from, path / beside, fs::copy_options::overwrite_existing, error);
    }
  }
  if (fs::exists(program) && fs::equivalent(program, original)) {
    throw Failure(ExitCode::kUsage, "-o " + printable(output) + ": the model itself is there; give another place");
  }
  write_file(fs::path(program).replace_extension(".pdiparams").string(), model.parameters);
  write_file(program.string(), model.program);
}

}  // namespace

void quantize(const ModelArguments& arguments, const SessionArguments& session, const QuantizeArguments& q) {
  const Interruption interruption;
  const ModelPaths paths = paths_of(arguments);
  const Program program = parse_program(paths.program, read_file(paths.program));
  const ParameterMap parameters = read_parameter_files(paths.parameters, program.parameters());
  const std::vector<Layer> layers = find_layers(program, parameters, q.keep);
  std::vector<InputOptions> sets;
  {
    const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
    sets = input_sets(model, session.inputs, q.data);
  }
  if (sets.size() == 1 && sets[0].files.empty()) {
    throw Failure(ExitCode::kUsage, "ranges of values are measured with real inputs: give --data or --input");
  }
  if (sets.size() < kFewSets) {
    fmt::print(stderr,
               "coracle: warning: {} set{} of inputs: values may reach further than seen; 32 to 500 are usual\n",
               sets.size(), sets.size() == 1 ? "" : "s");
  }
  const Split data = split(sets);
  const Progress progress;
  const auto tell = [&](size_t done, size_t all) { progress.show(done, all); };
  const Calibration calibration(arguments, session, data.seen, tell);
  const Activations activations = calibration.activations(layers);
  progress.clear();
  Trial trial(program, parameters, layers, activations, {q.percentile, q.correct_bias});
  if (q.method == "auto") {
    choose_methods(trial, Answers(arguments, session, first(data.seen)), tell);
    progress.clear();
  } else {
    trial.use(trial.all(), range_method(q.method));
  }
  const Answers original(arguments, session, data.held_back);
  const Limits limits{q.max_drop, q.least_ratio};
  const Decision decision = decide(trial, original, limits, tell);
  progress.clear();
  const ModelBytes model = trial.model(decision.quantized);
  write_model(model, q.output, paths.program);
  Report report{printable(q.output), q.method, sets.size(), data.seen.size(), data.held_back.size(), {}, {}, {}};
  report.original_bytes = fs::file_size(paths.program) + trial.parameter_bytes();
  report.quantized_bytes = model.program.size() + model.parameters.size();
  report.outputs = decision.accuracy;
  report.layers = trial.layers(decision.quantized);
  if (!q.report.empty()) {
    const bool page = fs::path(q.report).extension() == ".html";
    write_file(q.report, page ? page_of(report) : json_of(report) + "\n");
  }
  fmt::print("{}", q.json ? json_of(report) + "\n" : text_of(report));
}

}  // namespace coracle::cli
