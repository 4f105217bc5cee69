// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantize/input_sets.h"
#include "quantize/runs.h"
#include "quantize/state.h"
#include "quantize/trial.h"

namespace coracle::internal::quantize {

/// What the original model answers for sets of inputs, in runs of it.
class ModelAnswers : public Answers {
 public:
  /// `state`, which must outlive it, is told what comparisons say, and says it where it has it from an earlier run.
  ModelAnswers(const coracle::Model& original, const Runs& runs, ChosenSets sets, State& state);

  /// In an order that follows from what `state` is of.
  std::vector<OutputAccuracy> compare(const ModelBytes& model, size_t sets) const override;
  size_t sets() const override { return answers_.size(); }

 private:
  using Outputs = std::vector<InputValue>;
  std::vector<Outputs> run(const coracle::Model& model, size_t sets) const;

  Runs runs_;
  ChosenSets sets_;
  State& state_;
  std::vector<coracle::TensorInfo> inputs_;
  std::vector<std::string> names_;
  std::vector<Outputs> answers_;
};

}  // namespace coracle::internal::quantize
