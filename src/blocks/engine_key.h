// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "graph/saved_blocks.h"
#include "plan/engine.h"

namespace coracle::internal {

/// All that a compiled block follows from, as the key of a cache on disk: the engine with its version, its options, the
/// processor, the block with its inputs and their types, what varies in them, and what its constants contain (as two
/// sums of 64 bits).
std::string engine_key(const Engine& engine, const BlockToCompile& block);

/// Of such a key, for files that have no room for it: the length and two sums.
SavedCompiled::Key sum_of(std::string_view key);

/// What the kernel calls this machine's processor.
std::string processor_name();

}  // namespace coracle::internal
