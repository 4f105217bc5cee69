// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file.h"
#include "graph/loaded_model.h"
#include "graph/operator_set.h"

namespace coracle::internal {

/// True if the file begins as a saved model does, whatever its name.
bool is_saved_model(const File& file);

/// Reads a saved model. Its structure is checked in full (checksum, tables, every node as operators check it); elements
/// stay where they are in a mapped file, or are read, and only `check_weights` looks at their checksums.
/// Throws Error that names the file: kInvalidModel for damage, kUnsupported for formats and operators of later
/// versions.
LoadedModel load_saved_model(const File& file, bool check_weights = false,
                             const OperatorSet& operators = OperatorSet());

/// What it says of itself, without its weights.
ModelInfo inspect_saved_model(const File& file);

}  // namespace coracle::internal
