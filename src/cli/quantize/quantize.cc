// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/interrupt.h"
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

using namespace quantize;  // NOLINT(google-build-using-namespace): the words of the library
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

Precision precision_of(const QuantizeArguments& q) {
  if (q.half) return Precision::kHalfWeights;
  if (q.weights_only == "int4") return Precision::kFourBitWeights;
  return q.weights_only.empty() ? Precision::kIntegers : Precision::kIntegerWeights;
}

ScalingMode scaling_mode(const std::string& text) {
  return text == "fold" ? ScalingMode::kFold : text == "insert" ? ScalingMode::kInsert : ScalingMode::kAuto;
}

/// What runs with, in sets; none where the command line names no files.
std::vector<InputOptions> sets_of(const ModelArguments& arguments, const SessionArguments& session,
                                  const QuantizeArguments& q) {
  const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
  std::vector<InputOptions> sets = input_sets(model, session.inputs, q.data);
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
  JsonDocument d;
  d.Parse(api::inspect(arguments.model, arguments.params).c_str());
  const std::string program = printable(d["file"].GetString());
  const std::string format = d["format"].GetString();
  if (format != "ProgramDesc" && format != "PIR") {
    throw Failure(ExitCode::kUnsupported, fmt::format("{}: its format is {}; only Paddle's own files (.pdmodel, "
                                                      "__model__, .json) can be quantised",
                                                      program, format));
  }
  const JsonValue& operators = d["operators"];
  for (auto op = operators.MemberBegin(); op < operators.MemberEnd(); ++op) {
    const std::string name = op->name.GetString();
    if (name.find("quantize") == std::string::npos) continue;
    throw Failure(ExitCode::kUnsupported,
                  fmt::format("{}: it is quantised already ({} of {})", program, op->value.GetInt64(), name));
  }
}

}  // namespace

void quantize(const ModelArguments& arguments, const SessionArguments& session, const QuantizeArguments& q) {
  require_quantisable(arguments);
  const Original original(arguments.model, arguments.params);
  const Program program = original.program();
  if (program.find(kHalvesOfBytes) != nullptr) {
    throw Failure(ExitCode::kUnsupported,
                  printable(original.program_file()) + ": it is quantised already (weights of four bits)");
  }
  const ModelOutput output(q.output, original, program.format());
  require_folder_of(q.report);
  require_folder_of(q.state);
  const ParameterMap parameters = original.parameters(program);
  const Precision precision = precision_of(q);
  const std::vector<Layer> layers = find_layers(program, parameters, precision, q.keep);
  const std::vector<InputOptions> sets = sets_of(arguments, session, q);
  State state;
  if (!q.state.empty()) {
    state = State(q.state, state_key(arguments, q, original.program_bytes(), parameters, layers, sets));
  }
  const Steps steps;
  const Split data = split(sets);
  std::optional<Trial> trial;
  Trial* used = nullptr;
  Activations activations;
  ScalingOutcome scaling;
  std::unique_ptr<ScaledTrial> scaled;
  std::string method = q.method;
  if (precision != Precision::kIntegers) {
    trial.emplace(program, parameters, layers, precision);
    used = &*trial;
    method.clear();
  } else {
    require_data(sets);
    const Calibration calibration(arguments, session, data.seen, steps.tell());
    activations = calibration.activations(layers, state);
    steps.clear();
    const RangeOptions ranges{q.percentile, q.correct_bias, q.reduce_range ? kReducedSteps : kMostSteps};
    trial.emplace(program, parameters, layers, activations, ranges);
    if (q.scaling != "none") {
      scaled = scaled_trial(*trial, activations, {program, parameters, q.keep, ranges, q.method}, calibration,
                            Answers(arguments, session, first(data.seen), state), scaling_mode(q.scaling),
                            q.scaling_alpha, scaling);
      steps.clear();
    }
    used = scaled == nullptr ? &*trial : &scaled->trial;
    used->round_residuals(q.round_residuals);
    if (q.method == "auto") {
      choose_methods(*used, Answers(arguments, session, first(data.seen), state), steps.tell());
      steps.clear();
    } else {
      used->use(used->all(), range_method(q.method));
    }
  }
  Decision decision{used->all(), {}};
  if (!sets.empty()) {
    // Nothing is chosen by what was seen where weights alone are stored otherwise.
    const std::vector<InputOptions>& compared = precision == Precision::kIntegers ? data.held_back : sets;
    const Answers answers(arguments, session, compared, state);
    decision = decide(*used, answers, {q.max_drop, q.least_ratio}, steps.tell());
    steps.clear();
    if (decision.quantized.empty() && used != &*trial) {
      // Nothing has to be near any more: the model stays as it was.
      used = &*trial;
      scaling.used = false;
      decision.accuracy = answers.compare(used->model({}), answers.sets());
    }
  } else if (q.max_drop || q.least_ratio) {
    throw Failure(ExitCode::kUsage, "answers are compared with real inputs: give --data or --input");
  }
  const ModelBytes model = used->model(decision.quantized);
  output.write(model, original);
  state.remove();
  Report report;
  report.output = printable(q.output);
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
  if (!q.report.empty()) {
    const bool page = fs::path(q.report).extension() == ".html";
    api::write_file(q.report, page ? page_of(report) : json_of(report) + "\n");
  }
  fmt::print("{}", q.json ? json_of(report) + "\n" : text_of(report));
}

}  // namespace coracle::cli
