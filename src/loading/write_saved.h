// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "graph/graph.h"
#include "graph/model_info.h"
#include "graph/packed_constants.h"
#include "graph/saved_blocks.h"

namespace coracle::internal {

/// Saves a graph with all of its constants as one file (docs/saved-models.md). `info` says what its program declared,
/// `record` how the graph was made; its numbers of versions are this library's, whatever it says. The file is the same
/// for the same graph and the same `packed` constants and `blocks` of it. Throws Error: kIo if it cannot be written,
/// and then there is none of it; kUnsupported for what the format has no place for.
void write_saved_model(const std::string& path, const Graph& graph, const ModelInfo& info, const SavingRecord& record,
                       std::span<const PackedConstants> packed = {}, const SavedBlocks& blocks = {});

}  // namespace coracle::internal
