// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/scaling_trial.h"

#include <algorithm>
#include <limits>

namespace coracle::cli {
namespace {

/// Signal to noise with all layers quantised, ranges of all of them by one method.
double ratio_of(Trial& trial, const Answers& original, const std::string& method) {
  double best = -std::numeric_limits<double>::infinity();
  for (const RangeMethod m : kRangeMethods) {
    if (method != "auto" && method != text_of(m)) continue;
    trial.use(trial.all(), m);
    best = std::max(best, worst_ratio(original.compare(trial.model(trial.all()), original.sets())));
  }
  return best;
}

}  // namespace

ScalingOutcome scale(std::optional<Trial>& trial, Activations& activations, const TrialModel& model,
                     const Calibration& calibration, const Answers& original, const ScalingOptions& options,
                     bool always) {
  ScalingOutcome outcome;
  outcome.tried = true;
  const std::vector<Layer> layers = find_layers(model.program, model.parameters, Precision::kIntegers, {});
  ScaledModel after = scaled(model.program, model.parameters, layers, activations, options);
  outcome.scalings = after.scalings;
  if (after.scalings.empty()) return outcome;
  Activations seen = calibration.activations(layers, factors_of(after.scalings));
  rename(seen, after.scalings);
  std::vector<Layer> found = find_layers(after.program, after.parameters, Precision::kIntegers, model.keep);
  Trial other(std::move(after.program), std::move(after.parameters), std::move(found), seen, model.ranges);
  outcome.before = ratio_of(*trial, original, model.method);
  outcome.after = ratio_of(other, original, model.method);
  outcome.used = always || outcome.after > outcome.before;
  if (outcome.used) {
    trial.emplace(std::move(other));
    activations = std::move(seen);  // elements stay where the trial knows them
  }
  return outcome;
}

}  // namespace coracle::cli
