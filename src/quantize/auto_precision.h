// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantize/layer_times.h"
#include "quantize/precision_choice.h"
#include "quantize/state.h"
#include "quantize/trial.h"

namespace coracle::internal::quantize {

/// What came of type auto.
struct AutoOutcome {
  PrecisionTable table;  ///< by layer of the trial
  LayerPrecisions precisions;
  std::vector<std::string> reasons;  ///< why each layer has its precision
  double error = 0;                  ///< of the answers, by `metric`
  std::string metric;
  std::optional<double> bound;      ///< max_error
  std::string times_file;           ///< that times are of; empty: they were measured
  std::optional<ModelTimes> times;  ///< none where times are a file's: that is of another machine

  size_t count(LayerPrecision p) const;
  /// Those that some layer could have.
  std::vector<LayerPrecision> candidates() const;
};

/// What choosing by type auto needs.
struct AutoTask {
  const Trial& trial;
  const Trial& plain;       ///< what is written where no layer is quantised: the original
  const Answers& original;  ///< for all sets
  const Options& options;
  TimedRuns& runs;
  std::optional<std::string> times;  ///< the content of options.times
  State& state;                      ///< is told what was measured
  /// Told of the steps "times", "layers" and "choice".
  std::function<void(const char* step, size_t done, size_t total)> tell;
};

/// Measures what layers cost, chooses, and measures the whole models. Throws Error (kInvalidArgument) where no choice
/// is within the bounds, with the nearest.
Decision decide_by_time(const AutoTask& task, AutoOutcome& outcome);

/// Says it of the layers of a trial.
void add_precisions(const AutoOutcome& outcome, const Trial& trial, std::vector<LayerReport>& layers);

}  // namespace coracle::internal::quantize
