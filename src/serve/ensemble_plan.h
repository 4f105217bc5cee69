// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/model_config.h"

namespace coracle::serve {

/// What follows from an ensemble's configuration alone: which step waits for which. Tensors and steps are known by
/// their numbers, from 0.
struct EnsemblePlan {
  struct Step {
    std::string model;
    std::string version;                    ///< empty: the greatest that is loaded
    std::map<std::string, size_t> inputs;   ///< tensors by input of the model
    std::map<std::string, size_t> outputs;  ///< tensors by output of the model
  };

  std::string name;
  std::vector<std::string> tensors;           ///< by their names; the inputs of the ensemble are the first
  std::vector<std::optional<size_t>> source;  ///< the step that gives a tensor; none: the request does
  std::vector<std::vector<size_t>> users;     ///< the steps that take a tensor, once for each of their inputs
  std::vector<Step> steps;                    ///< in the configuration's order
  std::vector<size_t> outputs;                ///< tensors, by output of the ensemble

  /// "step 2 (model 'rec')"
  std::string step_name(size_t step) const;
};

/// Throws Failure (kInvalidArgument) where tensors have no source or two, are used by nobody, or steps wait for each
/// other, and for fields that are of the steps' models.
EnsemblePlan plan_of(const ModelConfig& config);

}  // namespace coracle::serve
