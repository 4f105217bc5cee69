// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantize/scaling.h"
#include "quantize/trial.h"

namespace coracle::quantize {

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
  std::vector<Scaling> scalings;  ///< those that are used, or else were tried
  double before = 0;              ///< signal to noise without, in decibels, of all layers with the best single method
  double after = 0;               ///< and with it
};

/// A model with scaled operands, to be quantised.
struct ScaledTrial {
  Activations activations;  ///< of the scaled operands
  Trial trial;
};

/// How operands may be scaled.
enum class ScalingMode {
  kAuto,    ///< as answers are nearest; with products in the model where that is kLeastGainOfProducts nearer
  kFold,    ///< by parameters that are there
  kInsert,  ///< and with products
};
inline constexpr double kLeastGainOfProducts = 6;  ///< decibels

/// The scaled model that shall be used instead of `trial`, or null. `activations`: of `trial`, which has another range
/// method afterwards. `alpha` as in ScalingOptions.
std::unique_ptr<ScaledTrial> scaled_trial(Trial& trial, const Activations& activations, const TrialModel& model,
                                          const Observations& observations, const Answers& original, ScalingMode mode,
                                          std::optional<double> alpha, ScalingOutcome& outcome);

}  // namespace coracle::quantize
