// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quantize/precision_choice.h"
#include "quantize/runs.h"
#include "quantize/step_times.h"
#include "quantize/trial.h"

/// How long layers take, measured here or elsewhere. Tables that come of it say nothing of errors.
namespace coracle::internal::quantize {

/// Runs models with the same sets of inputs, step by step.
class TimedRuns {
 public:
  TimedRuns(const Runs& runs, ChosenSets sets, std::vector<coracle::TensorInfo> inputs)
      : runs_(runs), sets_(std::move(sets)), inputs_(std::move(inputs)) {}

  /// The steps of the model in a run of each set. Each set runs several times, the first one untimed.
  StepCounts run(const ModelBytes& model);
  /// Milliseconds of a run of one set on average: of steps that `steps` has and `others` has not.
  double time_of(const StepCounts& steps, const StepCounts& others = {}) const;

 private:
  Runs runs_;
  ChosenSets sets_;
  std::vector<coracle::TensorInfo> inputs_;
  StepTimes times_;
};

/// Models as they were, with a layer of float32 alone after the other, all others of int8. The time of a layer in a
/// precision is that of the steps which only the models with it in that precision have. `tell` is called with the
/// number of models that have run and of all.
PrecisionTable measured_times(const Trial& trial, TimedRuns& runs, const std::function<void(size_t, size_t)>& tell);

/// The times of `layers` in a JSON text, which a report is: {"layers": [{"name": "conv2d_0.tmp_0", "times_ms": {"int8":
/// 0.2, "float32": 0.5}}]}. Throws Error that names `file`, and the layer which has none there.
PrecisionTable times_in(const std::string& file, std::string_view json, const std::vector<std::string>& layers);

/// Milliseconds of a run.
struct ModelTimes {
  double in_float32 = 0;
  double in_int8 = 0;  ///< all layers that can be
  double chosen = 0;
};
/// In turns.
ModelTimes measured_in_turns(const ModelBytes& in_float32, const ModelBytes& in_int8, const ModelBytes& chosen,
                             TimedRuns& runs);

}  // namespace coracle::internal::quantize
