// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "serve/ensemble_plan.h"
#include "serve/ensemble_steps.h"
#include "serve/inference.h"

namespace coracle::serve {

/// Takes a request through the steps of an ensemble, each as soon as its tensors are there, and answers it after the
/// last one has ended. Once a step has failed, or the request was cancelled, no further one begins.
void run_steps(std::shared_ptr<const EnsemblePlan> plan, std::vector<OpenStep> steps, InferencePtr request);

}  // namespace coracle::serve
