// SPDX-License-Identifier: Apache-2.0
#include "quantize/quantize_model.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/system/native_path.h"
#include "quantize/auto_precision.h"
#include "quantize/calibration.h"
#include "quantize/error.h"
#include "quantize/insertions.h"
#include "quantize/model_answers.h"
#include "quantize/model_output.h"
#include "quantize/report.h"
#include "quantize/scaling_trial.h"
#include "quantize/state_key.h"
#include "quantize/trial.h"

namespace coracle::internal::quantize {
namespace {

/// Sets fewer than these say little of how far values reach.
constexpr size_t kFewSets = 16;
/// Enough sets to tell methods apart.
constexpr size_t kSetsForMethods = 8;
/// Sets that layers are timed with: each runs many times.
constexpr size_t kSetsForTimes = 2;

Precision wanted_precision(const Options& options) {
  if (options.half) return Precision::kHalfWeights;
  if (options.weights_only == "int4") return Precision::kFourBitWeights;
  return options.weights_only.empty() ? Precision::kIntegers : Precision::kIntegerWeights;
}

/// Throws Error where the model is of another format or has integers already, and what the library throws where there
/// is none.
void require_quantisable(const Task& task) {
  JsonDocument d;
  d.Parse(coracle::inspect(task.model, task.params).c_str());
  const std::string program = printable(d["file"].GetString());
  const std::string format = d["format"].GetString();
  require(format == "ProgramDesc" || format == "PIR", ErrorCode::kUnsupported, program, ": its format is ", format,
          "; only Paddle's own files (.pdmodel, __model__, .json) can be quantised");
  const JsonValue& operators = d["operators"];
  for (auto op = operators.MemberBegin(); op < operators.MemberEnd(); ++op) {
    const std::string name = op->name.GetString();
    require(name.find("quantize") == std::string::npos, ErrorCode::kUnsupported, program, ": it is quantised already (",
            op->value.GetInt64(), " of ", name, ")");
  }
}

/// For what is written after much work.
void require_folder_of(const std::string& path) {
  const std::filesystem::path folder = native_path(path).parent_path();
  std::error_code error;
  require(folder.empty() || std::filesystem::is_directory(folder, error), ErrorCode::kIo, printable(path),
          ": there is no folder ", printable(path_text(folder)));
}

/// Throws Error where options of type auto are missing, or given without it.
void require_bounds(const Options& options) {
  const bool automatic = options.type == "auto";
  require(!automatic || options.max_error || options.max_drop || options.min_snr, ErrorCode::kInvalidArgument,
          "type auto chooses within a bound: give max_error (0.01 is a hundredth), max_drop or min_snr");
  require(automatic || options.times.empty(), ErrorCode::kInvalidArgument,
          "times of layers are for choosing between precisions: give type auto too, or leave out times");
}

/// The times that are given; nothing where they are measured.
std::optional<std::string> given_times(const Options& options) {
  if (options.times.empty()) return std::nullopt;
  const std::optional<File> file = File::open(options.times);
  require(file.has_value(), ErrorCode::kIo, printable(options.times), ": there is no such file of times");
  const FileBytes whole = file->read_all();
  return std::string(reinterpret_cast<const char*>(whole.bytes.data()), whole.bytes.size());
}

/// A model on its way.
class Quantizer {
 public:
  explicit Quantizer(const Task& task)
      : task_(task),
        times_(given_times(task.options)),
        original_(task.model, task.params),
        program_(original_.program()),
        precision_(wanted_precision(task.options)) {
    require(program_.find(kHalvesOfBytes) == nullptr, ErrorCode::kUnsupported, printable(original_.program_file()),
            ": it is quantised already (weights of four bits)");
  }

  ReportTexts run() {
    const ModelOutput output(task_.output, original_, program_.format());
    require_folder_of(task_.state);
    parameters_ = original_.parameters(program_);
    layers_ = find_layers(program_, parameters_, precision_, task_.options.keep);
    if (task_.sets->size() != 0) model_.emplace(task_.runs.load(task_.model, task_.params));
    if (!task_.state.empty()) open_state();
    precision_ == Precision::kIntegers ? calibrate() : store_weights_alone();
    const Decision decision = decided();
    const ModelBytes model = used_->model(decision.quantized);
    output.write(model, original_, task_.runs);
    state_.remove();
    return texts_of(report_of(decision, model));
  }

 private:
  std::function<void(size_t, size_t)> tell(const char* step) const {
    return [this, step](size_t done, size_t all) {
      task_.runs.require_wanted();
      if (task_.progress) task_.progress(step, done, all);
    };
  }

  ModelAnswers answers(ChosenSets sets) { return {*model_, task_.runs, std::move(sets), state_}; }

  void open_state() {
    const std::vector<coracle::TensorInfo> inputs = model_ ? model_->inputs() : std::vector<coracle::TensorInfo>();
    state_ = State(task_.state,
                   state_key(task_.options, times_.value_or(""), threads_of_times(), original_.program_bytes(),
                             parameters_, layers_, inputs, all_of(*task_.sets)),
                   task_.message);
  }

  void store_weights_alone() {
    trial_.emplace(program_, parameters_, layers_, precision_);
    used_ = &*trial_;
    compared_ = all_of(*task_.sets);
  }

  void calibrate() {
    require_sets();
    const Split data = split(*task_.sets);
    method_ = task_.options.method;
    seen_ = data.seen.size();
    compared_ = data.held_back;
    const Calibration calibration(task_.runs.load_as_in_the_file(task_.model, task_.params), task_.runs, data.seen,
                                  tell("calibration"));
    activations_ = calibration.activations(layers_, state_);
    trial_.emplace(program_, parameters_, layers_, activations_, task_.options);
    const ChosenSets some = data.seen.first(kSetsForMethods);
    if (task_.options.scaling != "none") {
      scaled_ = scaled_trial(*trial_, activations_, {program_, parameters_, task_.options}, calibration, answers(some),
                             scaling_);
    }
    used_ = scaled_ == nullptr ? &*trial_ : &scaled_->trial;
    used_->round_residuals(task_.options.round_residuals);
    if (task_.options.method == "auto") {
      choose_methods(*used_, answers(some), tell("methods"));
    } else {
      used_->use(used_->all(), range_method(task_.options.method));
    }
  }

  /// Throws Error where there are no inputs, and warns of few.
  void require_sets() const {
    const size_t sets = task_.sets->size();
    require(sets != 0, ErrorCode::kInvalidArgument,
            "ranges of values are measured with real inputs: give data, 32 to 500 sets are usual; weights alone "
            "(weights_only, half) need none");
    if (sets >= kFewSets) return;
    task_.message(CORACLE_LOG_WARNING, text(sets, sets == 1 ? " set" : " sets",
                                            " of inputs: values may reach further than seen; 32 to 500 are usual"));
  }

  Decision decided() {
    if (!model_) {
      require(!task_.options.max_drop && !task_.options.min_snr, ErrorCode::kInvalidArgument,
              "answers are compared with real inputs: give data, or leave out max_drop and min_snr");
      return {used_->all(), {}};
    }
    if (task_.options.type == "auto") compared_ = all_of(*task_.sets);
    const ModelAnswers original = answers(compared_);
    Decision decision = task_.options.type == "auto" ? decided_by_time(original)
                                                     : decide(*used_, original, task_.options, tell("layers"));
    if (decision.quantized.empty() && used_ != &*trial_) {
      // Nothing has to be near any more: the model stays as it was.
      used_ = &*trial_;
      scaling_.used = false;
      decision.accuracy = original.compare(used_->model({}), original.sets());
    }
    return decision;
  }

  Decision decided_by_time(const ModelAnswers& original) {
    TimedRuns runs(task_.runs, all_of(*task_.sets).first(kSetsForTimes), model_->inputs());
    const auto told = [this](const char* step, size_t done, size_t total) { tell(step)(done, total); };
    return decide_by_time({*used_, *trial_, original, task_.options, runs, times_, state_, told}, automatic_.emplace());
  }
  /// What measured times depend on besides options and inputs.
  int32_t threads_of_times() const {
    return task_.options.type == "auto" && task_.runs.session != nullptr ? task_.runs.session->threads : 0;
  }

  Report report_of(const Decision& decision, const ModelBytes& model) const {
    Report report;
    report.output = printable(task_.output);
    report.method = method_;
    report.precision = precision_;
    report.scaling = scaling_;
    report.residuals = used_->residuals(decision.quantized);
    report.rounds_residuals = used_->rounds_residuals();
    report.sets = task_.sets->size();
    report.seen = seen_;
    report.held_back = compared_.size();
    report.original_bytes = original_.program_bytes().size() + trial_->parameter_bytes();
    report.quantized_bytes = model.program.size() + model.parameters.size();
    report.outputs = decision.accuracy;
    report.layers = used_->layers(decision.quantized);
    report.automatic = automatic_;
    if (automatic_) add_precisions(*automatic_, *used_, report.layers);
    return report;
  }

  ReportTexts texts_of(const Report& report) const {
    if (report.changed_layers() == 0) {
      task_.message(CORACLE_LOG_WARNING, "no layer became smaller; the written model is as the original");
    }
    return {json_of(report), page_of(report), text_of(report)};
  }

  const Task& task_;
  const std::optional<std::string> times_;  ///< of layers, as text
  const Original original_;
  const Program program_;
  const Precision precision_;
  ParameterMap parameters_;
  std::vector<Layer> layers_;
  std::optional<coracle::Model> model_;  ///< the original; none without sets
  State state_;
  std::string method_;  ///< of ranges; empty where operands stay as they are
  size_t seen_ = 0;     ///< sets that ranges are of
  ChosenSets compared_;
  Activations activations_;
  std::optional<Trial> trial_;
  std::optional<AutoOutcome> automatic_;  ///< of type auto
  ScalingOutcome scaling_;
  std::unique_ptr<ScaledTrial> scaled_;
  Trial* used_ = nullptr;
};

}  // namespace

ReportTexts quantize_model(const Task& task) {
  require_bounds(task.options);
  require_quantisable(task);
  return Quantizer(task).run();
}

}  // namespace coracle::internal::quantize
