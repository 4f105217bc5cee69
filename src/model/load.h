// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"
#include "graph/packed_constants.h"
#include "graph/saved_blocks.h"
#include "model/model_files.h"
#include "model/model_info.h"

namespace coracle {

struct LoadedModel {
  ModelInfo info;
  Graph graph;
  std::vector<FileStamp> files;         ///< on disk, that it was read from
  size_t mapped_bytes = 0;              ///< of weights that stay in mapped files
  std::vector<PackedConstants> packed;  ///< of a saved model
  SavedBlocks blocks = {};              ///< of a saved model
};

struct LoadOptions {
  Weights weights = Weights::kAutomatic;  ///< of models on disk
  bool check_weights = false;             ///< of saved models: compare them with their checksums
  bool outside_links = false;             ///< files of single parameters may be links out of the model's folder
};

/// Reads a model of any format: program, then (if all of it can be run) parameters, then the graph. Throws Error:
/// kIo for missing files, kInvalidModel for damage, kUnsupported with all that cannot be run.
LoadedModel load_model(const ModelSource& source, const LoadOptions& options = {});

/// What a program says about itself, without its parameters; also for programs that cannot be run.
ModelInfo inspect_model(const ModelSource& source);

}  // namespace coracle
