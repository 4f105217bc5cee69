// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/input/inputs.h"
#include "cli/model_options.h"
#include "cli/quantize/state.h"
#include "quantize/trial.h"

namespace coracle::cli {

/// Throws coracle::Exception.
coracle::Model load_model(const internal::quantize::ModelBytes& model, const coracle::ModelOptions& options = {});

/// What the original model answers for sets of inputs.
class Answers : public internal::quantize::Answers {
 public:
  /// `state`, which must outlive it, is told what comparisons say, and says it where it has it from an earlier run.
  Answers(const ModelArguments& model, const SessionArguments& session, std::vector<InputOptions> sets, State& state);

  /// In an order that follows from what `state` is of.
  std::vector<internal::quantize::OutputAccuracy> compare(const internal::quantize::ModelBytes& model,
                                                          size_t sets) const override;
  size_t sets() const override { return answers_.size(); }

 private:
  using Outputs = std::vector<client::Tensor>;
  std::vector<Outputs> run(const coracle::Model& model, size_t sets) const;

  SessionArguments session_;
  std::vector<InputOptions> sets_;
  State& state_;
  std::vector<std::string> names_;
  std::vector<Outputs> answers_;
};

}  // namespace coracle::cli
