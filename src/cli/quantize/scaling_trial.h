// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/quantize/scaling.h"
#include "cli/quantize/trial.h"

namespace coracle::cli {

/// A model that trials are made of.
struct TrialModel {
  const Program& program;
  const ParameterMap& parameters;
  const std::vector<std::string>& keep;  ///< names of layers that stay in float32
  RangeOptions ranges;
  std::string method;  ///< of ranges; "auto": any
};

/// What came of scaling.
struct ScalingOutcome {
  bool tried = false;
  bool used = false;
  std::vector<Scaling> scalings;  ///< that were tried
  double before = 0;              ///< signal to noise without, in decibels, of all layers with the best single method
  double after = 0;               ///< and with it
};

/// Replaces `trial` and its `activations` by those of the scaled model where that answers nearer, or `always`.
ScalingOutcome scale(std::optional<Trial>& trial, Activations& activations, const TrialModel& model,
                     const Calibration& calibration, const Answers& original, const ScalingOptions& options,
                     bool always);

}  // namespace coracle::cli
