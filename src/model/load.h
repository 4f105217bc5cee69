// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/loaded_model.h"
#include "graph/operator_set.h"
#include "model/model_files.h"

namespace coracle::internal {

struct LoadOptions {
  Weights weights = Weights::kAutomatic;  ///< of models on disk
  bool check_weights = false;             ///< of saved models: compare them with their checksums
  bool outside_links = false;             ///< files of single parameters may be links out of the model's folder
  CustomOperators operators = {};         ///< that the model may name, beside those of the process
};

/// Reads a model of any format: program, then (if all of it can be run) parameters, then the graph. Throws Error:
/// kIo for missing files, kInvalidModel for damage, kUnsupported with all that cannot be run.
LoadedModel load_model(const RunContext& context, const ModelSource& source, const LoadOptions& options = {});
inline LoadedModel load_model(const ModelSource& source, const LoadOptions& options = {}) {
  return load_model(kNoRun, source, options);
}

/// What a program says about itself, without its parameters; also for programs that cannot be run.
ModelInfo inspect_model(const ModelSource& source);

}  // namespace coracle::internal
