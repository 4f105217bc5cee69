// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/file.h"
#include "graph/graph.h"
#include "graph/model_info.h"
#include "graph/packed_constants.h"
#include "graph/saved_blocks.h"

namespace coracle::internal {

/// What was read of a model.
struct LoadedModel {
  ModelInfo info;
  Graph graph;
  std::vector<FileStamp> files;         ///< on disk, that it was read from
  size_t mapped_bytes = 0;              ///< of weights that stay in mapped files
  std::vector<PackedConstants> packed;  ///< of a saved model
  SavedBlocks blocks = {};              ///< of a saved model
};

}  // namespace coracle::internal
