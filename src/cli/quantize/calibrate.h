// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/input/inputs.h"
#include "cli/model_options.h"
#include "cli/quantize/state.h"
#include "quantize/activations.h"

namespace coracle::cli {

using internal::quantize::Activation;
using internal::quantize::Activations;
using internal::quantize::Layer;
using internal::quantize::OperandFactors;

/// Sets of inputs one after the other, those of the same file read again each time.
class Calibration : public internal::quantize::Observations {
 public:
  /// `tell` is called with the number of runs that are done and of all.
  Calibration(const ModelArguments& model, const SessionArguments& session, std::vector<InputOptions> sets,
              std::function<void(size_t, size_t)> tell);

  /// The operands of `layers` in runs of all sets, from where `state` has them on; it is told of them now and then, and
  /// at the end. Values that no run computed are left out. Values that `factors` names are seen divided; `state` has
  /// to be without. Throws Failure that names the set with numbers that are not finite.
  Activations activations(const std::vector<Layer>& layers, State& state, const OperandFactors& factors = {}) const;
  Activations observe(const std::vector<Layer>& layers, const OperandFactors& factors) const override {
    State unkept;  // what is kept is of the model as it was
    return activations(layers, unkept, factors);
  }

 private:
  using See = std::function<void(Activation&, const float* values, const coracle::Dims& dims)>;
  /// Runs all sets for the first (0) or the second time (1), but for the first `done` of both.
  void run(Activations& activations, size_t time, size_t& done, State& state, const See& see) const;

  coracle::Model model_;
  SessionArguments session_;
  std::vector<InputOptions> sets_;
  std::function<void(size_t, size_t)> tell_;
};

/// Throws Failure (usage) that names the set where an input of real numbers has one that is not finite.
void require_finite(const Input& input, const std::string& name, const InputOptions& set);
/// What names a set of inputs in messages.
std::string text_of(const InputOptions& set);

}  // namespace coracle::cli
