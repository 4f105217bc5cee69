// SPDX-License-Identifier: Apache-2.0
#include "quantize/scaling_trial.h"

#include <algorithm>
#include <limits>

namespace coracle::internal::quantize {
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

std::unique_ptr<ScaledTrial> scaled_trial(Trial& trial, const Activations& activations, const TrialModel& model,
                                          const Observations& observations, const Answers& original,
                                          ScalingOutcome& outcome) {
  const Options& options = model.options;
  const bool any = options.scaling == "auto";
  std::unique_ptr<ScaledTrial> nearest;
  outcome.tried = true;
  if (trial.count() == 0) return nearest;
  const std::vector<Layer> layers = find_layers(model.program, model.parameters, Precision::kIntegers, {});
  for (const bool insert : {false, true}) {
    if (!any && insert != (options.scaling == "insert")) continue;
    ScaledModel scaled =
        scale(model.program, model.parameters, layers, activations, {insert, options.scaling_alpha, options.keep});
    if (scaled.scalings.empty() || (insert && !scaled.has_products() && any)) continue;
    Activations seen = observations.observe(layers, factors_of(scaled.scalings));
    rename(seen, scaled.scalings);
    std::vector<Layer> found = find_layers(scaled.program, scaled.parameters, Precision::kIntegers, options.keep);
    // Elements of the map stay where the trial knows them.
    Trial other(std::move(scaled.program), std::move(scaled.parameters), std::move(found), seen, options);
    if (outcome.scalings.empty()) outcome.before = ratio_of(trial, original, options.method);
    const double ratio = ratio_of(other, original, options.method);
    const double least = outcome.used ? outcome.after : outcome.before;
    const bool nearer = ratio > least + (insert ? kLeastGainOfProducts : 0);
    if (nearer || !any) {
      nearest = std::make_unique<ScaledTrial>(ScaledTrial{std::move(seen), std::move(other)});
      outcome.used = true;
    } else if (!outcome.scalings.empty()) {
      continue;
    }
    outcome.scalings = std::move(scaled.scalings);
    outcome.after = ratio;
  }
  return nearest;
}

}  // namespace coracle::internal::quantize
