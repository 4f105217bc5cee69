// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "base/system/native_path.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/note.h"
#include "cli/progress.h"
#include "cli/quantize/answers.h"
#include "cli/quantize/calibrate.h"
#include "cli/quantize/model_output.h"
#include "cli/quantize/report.h"
#include "cli/quantize/state_key.h"
#include "cli/run_folder.h"
#include "cli/text.h"
#include "quantize/insertions.h"
#include "quantize/scaling_trial.h"
#include "quantize/trial.h"

namespace coracle::cli {

using namespace internal::quantize;  // NOLINT(google-build-using-namespace): the words of the library
namespace {

namespace fs = std::filesystem;

/// Sets fewer than these say little of how far values reach.
constexpr size_t kFewSets = 16;
/// One of so many sets is held back to measure the answers with.
constexpr size_t kHeldBack = 5;

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

/// Throws Failure where there are no inputs, and warns of few.
void require_data(const std::vector<InputOptions>& sets) {
  if (sets.empty()) {
    throw Failure(ExitCode::kUsage, "ranges of values are measured with real inputs: give --data or --input");
  }
  if (sets.size() >= kFewSets) return;
  note("coracle: warning: {} set{} of inputs: values may reach further than seen; 32 to 500 are usual\n", sets.size(),
       sets.size() == 1 ? "" : "s");
}

struct QuantizeCommand {
  ModelArguments arguments;
  SessionArguments session;
  Options options;
  std::vector<std::string> data;  ///< sets of inputs: folders with NAME.npy, or files
  std::string output_path;        ///< folder, NAME.pdmodel, NAME.json or NAME.coracle
  std::string report_file;        ///< a page (.html) or JSON
  std::string state_file;         ///< that an interrupted run is gone on with from
  bool json = false;

  void add_options(CLI::App* command);
  void run() const;
};

/// The option of a row of options.def.
template <class T>
CLI::Option* add_option(CLI::App* command, const OptionDef& row, T& value) {
  std::string name(row.name);
  std::replace(name.begin(), name.end(), '_', '-');
  if constexpr (std::is_same_v<T, bool>) {
    return command->add_flag((value ? "!--no-" : "--") + name, value, row.text);
  } else {
    CLI::Option* option = command->add_option("--" + name, value, row.text);
    if constexpr (std::is_same_v<T, std::vector<std::string>>) option->allow_extra_args(false);
    if (row.allowed.least < row.allowed.most) option->check(CLI::Range(row.allowed.least, row.allowed.most));
    if (!row.allowed.texts.empty()) {
      option->check(CLI::IsMember(CLI::detail::split(std::string(row.allowed.texts), '|')));
    }
    return option;
  }
}

void QuantizeCommand::add_options(CLI::App* command) {
  add_model(command, arguments);
  command->add_option("-o,--output", output_path, "folder, NAME.pdmodel, NAME.json or NAME.coracle to write or replace")
      ->required();
  add_data(command, data);
  std::vector<CLI::Option*> of_weights;
  std::vector<CLI::Option*> of_operands;
  for_each_option(options, [&](const OptionDef& row, auto& value) {
    CLI::Option* option = add_option(command, row, value);
    if (row.concern == OptionConcern::kWeights) of_weights.push_back(option);
    if (row.concern == OptionConcern::kOperands) of_operands.push_back(option);
  });
  for (CLI::Option* option : of_weights) {
    for (CLI::Option* other : of_operands) other->excludes(option);
    for (CLI::Option* other : of_weights) {
      if (other != option) other->excludes(option);
    }
  }
  command->add_option("--report", report_file, "FILE.html, a page with plots, or a file for what --json prints");
  command->add_option("--state", state_file,
                      "FILE that keeps what was measured: the same command goes on from there when it was interrupted");
  command->add_flag("--json", json, "print JSON");
  add_session(command, session);
}

Precision precision_of(const Options& options) {
  if (options.half) return Precision::kHalfWeights;
  if (options.weights_only == "int4") return Precision::kFourBitWeights;
  return options.weights_only.empty() ? Precision::kIntegers : Precision::kIntegerWeights;
}

/// What runs with, in sets; none where the command line names no files.
std::vector<InputOptions> sets_of(const QuantizeCommand& q) {
  std::vector<InputOptions> sets = input_sets(load(q.arguments), q.session.inputs, q.data);
  if (sets.size() == 1 && sets[0].files.empty()) sets.clear();
  return sets;
}

/// A step of quantising, shown while it runs.
class Steps {
 public:
  std::function<void(size_t, size_t)> tell() const {
    return [this](size_t done, size_t all) { progress_.show(done, all); };
  }
  void clear() const { progress_.clear(); }

 private:
  Progress progress_;
};

/// Throws Failure where the model is of another format or has integers already, and what the library throws where
/// there is none.
void require_quantisable(const ModelArguments& arguments) {
  internal::JsonDocument d;
  d.Parse(coracle::inspect(arguments.model, arguments.params).c_str());
  const std::string program = printable(d["file"].GetString());
  const std::string format = d["format"].GetString();
  if (format != "ProgramDesc" && format != "PIR") {
    throw Failure(ExitCode::kUnsupported, fmt::format("{}: its format is {}; only Paddle's own files (.pdmodel, "
                                                      "__model__, .json) can be quantised",
                                                      program, format));
  }
  const internal::JsonValue& operators = d["operators"];
  for (auto op = operators.MemberBegin(); op < operators.MemberEnd(); ++op) {
    const std::string name = op->name.GetString();
    if (name.find("quantize") == std::string::npos) continue;
    throw Failure(ExitCode::kUnsupported,
                  fmt::format("{}: it is quantised already ({} of {})", program, op->value.GetInt64(), name));
  }
}

void QuantizeCommand::run() const {
  require_quantisable(arguments);
  const Original original(arguments.model, arguments.params);
  const Program program = original.program();
  if (program.find(kHalvesOfBytes) != nullptr) {
    throw Failure(ExitCode::kUnsupported,
                  printable(original.program_file()) + ": it is quantised already (weights of four bits)");
  }
  const ModelOutput output(output_path, original, program.format());
  require_folder_of(report_file);
  require_folder_of(state_file);
  const ParameterMap parameters = original.parameters(program);
  const Precision precision = precision_of(options);
  const std::vector<Layer> layers = find_layers(program, parameters, precision, options.keep);
  const std::vector<InputOptions> sets = sets_of(*this);
  State state;
  if (!state_file.empty()) {
    state = State(state_file, state_key(arguments, options, original.program_bytes(), parameters, layers, sets));
  }
  const Steps steps;
  const Split data = split(sets);
  std::optional<Trial> trial;
  Trial* used = nullptr;
  Activations activations;
  ScalingOutcome scaling;
  std::unique_ptr<ScaledTrial> scaled;
  std::string method = options.method;
  if (precision != Precision::kIntegers) {
    trial.emplace(program, parameters, layers, precision);
    used = &*trial;
    method.clear();
  } else {
    require_data(sets);
    const Calibration calibration(arguments, session, data.seen, steps.tell());
    activations = calibration.activations(layers, state);
    steps.clear();
    trial.emplace(program, parameters, layers, activations, options);
    if (options.scaling != "none") {
      scaled = scaled_trial(*trial, activations, {program, parameters, options}, calibration,
                            Answers(arguments, session, first(data.seen), state), scaling);
      steps.clear();
    }
    used = scaled == nullptr ? &*trial : &scaled->trial;
    used->round_residuals(options.round_residuals);
    if (options.method == "auto") {
      choose_methods(*used, Answers(arguments, session, first(data.seen), state), steps.tell());
      steps.clear();
    } else {
      used->use(used->all(), range_method(options.method));
    }
  }
  Decision decision{used->all(), {}};
  if (!sets.empty()) {
    // Nothing is chosen by what was seen where weights alone are stored otherwise.
    const std::vector<InputOptions>& compared = precision == Precision::kIntegers ? data.held_back : sets;
    const Answers answers(arguments, session, compared, state);
    decision = decide(*used, answers, options, steps.tell());
    steps.clear();
    if (decision.quantized.empty() && used != &*trial) {
      // Nothing has to be near any more: the model stays as it was.
      used = &*trial;
      scaling.used = false;
      decision.accuracy = answers.compare(used->model({}), answers.sets());
    }
  } else if (options.max_drop || options.min_snr) {
    throw Failure(ExitCode::kUsage, "answers are compared with real inputs: give --data or --input");
  }
  const ModelBytes model = used->model(decision.quantized);
  output.write(model, original);
  state.remove();
  Report report;
  report.output = printable(output_path);
  report.method = method;
  report.precision = precision;
  report.scaling = scaling;
  report.residuals = used->residuals(decision.quantized);
  report.rounds_residuals = used->rounds_residuals();
  report.sets = sets.size();
  report.seen = precision == Precision::kIntegers ? data.seen.size() : 0;
  report.held_back = precision == Precision::kIntegers ? data.held_back.size() : sets.size();
  report.original_bytes = original.program_bytes().size() + trial->parameter_bytes();
  report.quantized_bytes = model.program.size() + model.parameters.size();
  report.outputs = decision.accuracy;
  report.layers = used->layers(decision.quantized);
  if (report.changed_layers() == 0) {
    note("coracle: warning: no layer became smaller; the written model is as the original\n");
  }
  if (!report_file.empty()) {
    const bool page = internal::native_path(report_file).extension() == ".html";
    coracle::write_file(report_file, page ? page_of(report) : json_of(report) + "\n");
  }
  fmt::print("{}", json ? json_of(report) + "\n" : text_of(report));
}

}  // namespace

void add_quantize(CLI::App& app) {
  add_command<QuantizeCommand>(
      app, "quantize", "Makes a model of int8 from one of float32",
      "Products and convolutions with constant weights compute with integers of 8 bits. How far values reach is "
      "seen in runs with real inputs; every fifth set is held back, and answers are compared for those. A decision "
      "is which element of an output is the largest: along dimension 1 of four, else along the last one; of one "
      "alone, whether it is at least one half.\n"
      "\nExamples:\n"
      "  coracle quantize model_dir --input x=photos -o int8_dir               a run for each file of a folder\n"
      "  coracle quantize model_dir --data a.npz --data b.npz -o int8_dir --max-drop 1\n"
      "  coracle quantize model_dir --input x=photos -o model.coracle --method kl --report report.html\n"
      "  coracle quantize model_dir --half -o half_dir                        smaller weights, no inputs needed");
}

}  // namespace coracle::cli
