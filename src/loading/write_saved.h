// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/new_file.h"
#include "graph/graph.h"
#include "graph/model_info.h"
#include "graph/packed_constants.h"
#include "graph/saved_blocks.h"

namespace coracle::internal {

class Model;

/// How a model is saved, where that is not a file of its own.
struct SavedWithin {
  std::span<const uint8_t> before = {};  ///< begin of the file; a multiple of saved::kSectionAlignment
  NewFile::For whom = NewFile::For::kReading;
  uint64_t most_bytes = UINT64_MAX;  ///< of the file
};

/// Saves a graph with all of its constants as one file (docs/saved-models.md). `info` says what its program declared,
/// `record` how the graph was made; its numbers of versions are this library's, whatever it says. The file is the same
/// for the same graph and the same `packed` constants and `blocks` of it. Throws Error: kIo if it cannot be written,
/// and then there is none of it; kUnsupported for what the format has no place for.
void write_saved_model(const std::string& path, const Graph& graph, const ModelInfo& info, const SavingRecord& record,
                       std::span<const PackedConstants> packed = {}, const SavedBlocks& blocks = {},
                       const SavedWithin& within = {});

/// How the graph of a model was made.
SavingRecord saving_record_of(const Model& model);

}  // namespace coracle::internal
