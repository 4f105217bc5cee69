// SPDX-License-Identifier: Apache-2.0
#include "coracle/quantize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/system/native_path.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/text.h"
#include "quantize/options.h"

namespace coracle::cli {

using namespace internal::quantize;  // NOLINT(google-build-using-namespace): the words of the table of options
namespace {

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

 private:
  void require_no_data() const;
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

/// What names a set of inputs in messages.
std::string name_of(const InputOptions& set) {
  std::string out;
  for (const std::string& file : set.files) out.append(out.empty() ? "" : ", ").append(printable(file));
  return out.empty() ? "made-up inputs" : out;
}

/// A text for each value, as coracle_quantize_options.settings has them.
std::vector<std::string> values_of(bool value) { return {value ? "true" : "false"}; }
std::vector<std::string> values_of(double value) { return {fmt::format("{}", value)}; }
std::vector<std::string> values_of(const std::string& value) { return {value}; }
std::vector<std::string> values_of(const std::vector<std::string>& values) { return values; }
std::vector<std::string> values_of(const std::optional<double>& value) {
  return value ? values_of(*value) : std::vector<std::string>();
}

/// Those options that are other than by default.
std::vector<std::string> settings_of(const Options& options) {
  std::vector<std::string> by_default;
  std::vector<std::string> settings;
  const auto add_to = [](std::vector<std::string>& all) {
    return [&all](const OptionDef& row, const auto& value) {
      for (const std::string& text : values_of(value)) all.push_back(fmt::format("{}={}", row.name, text));
    };
  };
  const Options defaults;
  for_each_option(defaults, add_to(by_default));
  for_each_option(options, add_to(settings));
  std::erase_if(settings, [&](const std::string& setting) {
    return std::find(by_default.begin(), by_default.end(), setting) != by_default.end();
  });
  return settings;
}

/// For a command line without inputs.
void QuantizeCommand::require_no_data() const {
  const bool integers = options.weights_only.empty() && !options.half;
  if (integers)
    throw Failure(ExitCode::kUsage, "ranges of values are measured with real inputs: give --data or --input");
  if (options.max_drop || options.min_snr) {
    throw Failure(ExitCode::kUsage, "answers are compared with real inputs: give --data or --input");
  }
}

void QuantizeCommand::run() const {
  require_folder_of(report_file);
  const coracle::Model model = load(arguments);
  std::vector<InputOptions> sets = input_sets(model, session.inputs, data);
  if (sets.size() == 1 && sets[0].files.empty()) sets.clear();  // the command line names no files
  if (sets.empty()) require_no_data();
  const Progress progress;
  std::string shown;  // the step
  QuantizeOptions call;
  call.params = arguments.params;
  call.settings = settings_of(options);
  call.sets = sets.size();
  call.data = [&](size_t set, QuantizeInputs& inputs) {
    inputs.name_set(name_of(sets[set]));
    for (const Input& input : read_inputs(model, sets[set])) {
      inputs.set({}, input.array.dtype, input.array.dims, input.array.bytes.data());
      if (!input.lod.empty()) inputs.set_lod({}, input.lod);
    }
  };
  call.session = session.options;
  call.state = state_file;
  call.progress = [&](const std::string& step, size_t done, size_t total) {
    if (step != std::exchange(shown, step)) progress.clear();
    progress.show(done, total);
  };
  call.message = [&](coracle_log_level level, const std::string& message) {
    progress.clear();
    note("coracle: {}{}\n", level == CORACLE_LOG_WARNING ? "warning: " : "", message);
  };
  call.cancelled = Interruption::interruptible({}).cancelled;
  const Quantization quantization = quantize(arguments.model, output_path, call);
  progress.clear();
  if (!report_file.empty()) {
    const bool page = internal::native_path(report_file).extension() == ".html";
    coracle::write_file(report_file, page ? quantization.html() : quantization.json() + "\n");
  }
  fmt::print("{}", json ? quantization.json() + "\n" : quantization.text());
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
      "  coracle quantize model_dir --input x=photos -o model.coracle --type auto --max-error 0.01\n"
      "      each layer in what takes least time here, answers within a hundredth of what they were\n"
      "  coracle quantize model_dir --half -o half_dir                        smaller weights, no inputs needed");
}

}  // namespace coracle::cli
