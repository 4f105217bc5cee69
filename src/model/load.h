// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"
#include "model/model_files.h"
#include "model/model_info.h"

namespace coracle {

struct LoadedModel {
  ModelInfo info;
  Graph graph;
};

/// Reads a model of either format: program, then (if all of it can be run) parameters, then the graph. Throws Error:
/// kIo for missing files, kInvalidModel for damage, kUnsupported with all that cannot be run.
LoadedModel load_model(const ModelSource& source);

/// What a program says about itself, without its parameters; also for programs that cannot be run.
ModelInfo inspect_model(const ModelSource& source);

}  // namespace coracle
