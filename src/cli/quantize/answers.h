// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/input/inputs.h"
#include "cli/quantize/state.h"
#include "quantize/trial.h"

namespace coracle::cli {

/// Throws coracle::api::Exception.
api::Model load_model(const quantize::ModelBytes& model, const api::ModelOptions& options = {});

/// What the original model answers for sets of inputs.
class Answers : public quantize::Answers {
 public:
  /// `state`, which must outlive it, is told what comparisons say, and says it where it has it from an earlier run.
  Answers(const ModelArguments& model, const SessionArguments& session, std::vector<InputOptions> sets, State& state);

  /// In an order that follows from what `state` is of.
  std::vector<quantize::OutputAccuracy> compare(const quantize::ModelBytes& model, size_t sets) const override;
  size_t sets() const override { return answers_.size(); }

 private:
  using Outputs = std::vector<client::Tensor>;
  std::vector<Outputs> run(const api::Model& model, size_t sets) const;

  SessionArguments session_;
  std::vector<InputOptions> sets_;
  State& state_;
  std::vector<std::string> names_;
  std::vector<Outputs> answers_;
};

}  // namespace coracle::cli
