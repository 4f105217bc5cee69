// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quantize/activations.h"
#include "quantize/input_sets.h"
#include "quantize/runs.h"
#include "quantize/state.h"

namespace coracle::internal::quantize {

/// Runs of sets of inputs one after the other, each set read again each time.
class Calibration : public Observations {
 public:
  /// `model` computes what the file names there (Runs::load_as_in_the_file). `tell` is called with the number of runs
  /// that are done and of all.
  Calibration(coracle::Model model, const Runs& runs, ChosenSets sets, std::function<void(size_t, size_t)> tell);

  /// The operands of `layers` in runs of all sets, from where `state` has them on; it is told of them now and then, and
  /// at the end. Values that no run computed are left out. Values that `factors` names are seen divided; `state` has
  /// to be without. Throws Error that names the set with numbers that are not finite.
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
  Runs runs_;
  ChosenSets sets_;
  std::function<void(size_t, size_t)> tell_;
};

}  // namespace coracle::internal::quantize
