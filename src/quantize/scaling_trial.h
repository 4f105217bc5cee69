// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "quantize/scaling.h"
#include "quantize/trial.h"

namespace coracle::internal::quantize {

/// A model that trials are made of.
struct TrialModel {
  const Program& program;
  const ParameterMap& parameters;
  const Options& options;
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

/// With `scaling` "auto", operands are multiplied in place where answers are so much nearer with it.
inline constexpr double kLeastGainOfProducts = 6;  ///< decibels

/// The scaled model that shall be used instead of `trial`, or null. `activations`: of `trial`, which has another range
/// method afterwards. Not for `scaling` "none".
std::unique_ptr<ScaledTrial> scaled_trial(Trial& trial, const Activations& activations, const TrialModel& model,
                                          const Observations& observations, const Answers& original,
                                          ScalingOutcome& outcome);

}  // namespace coracle::internal::quantize
