// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "serve/ensemble_plan.h"
#include "serve/served_model.h"

namespace coracle::serve {

/// A step of an ensemble with the version of its model that is to run.
struct OpenStep {
  std::shared_ptr<ServedModel> model;
  std::vector<size_t> inputs;                      ///< tensors of the plan, by input of the model
  std::vector<std::pair<size_t, size_t>> outputs;  ///< outputs of the model, and the tensors that they are
};

/// The steps of a plan with the models of now. Throws Failure where a model is not there, or has not the inputs and
/// outputs that the plan names.
std::vector<OpenStep> open_steps(const EnsemblePlan& plan, const FindModel& find);

/// Throws Failure (kInvalidArgument) where a tensor has another type or shape where it is used than where it comes
/// from, or a model takes fewer rows than the ensemble. `inputs` and `outputs` are those of the ensemble.
void check_steps(const EnsemblePlan& plan, const std::vector<OpenStep>& steps,
                 const std::vector<coracle::TensorInfo>& inputs, const std::vector<coracle::TensorInfo>& outputs,
                 int64_t max_batch_size);

}  // namespace coracle::serve
