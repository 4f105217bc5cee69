// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file_cache.h"
#include "base/run_context.h"
#include "blocks/choice.h"
#include "graph/saved_blocks.h"

namespace coracle::internal {

/// What the file of a model has of its blocks, by region.
using CompiledInFile = std::unordered_map<const Graph*, std::vector<SavedCompiled>>;

/// Blocks that engines have compiled before: in the file of a model, and in a cache on disk that processes share. What
/// is not there, or cannot be used, is compiled. For any thread.
class EngineStore {
 public:
  EngineStore(FileCache cache, CompiledInFile in_file) : cache_(std::move(cache)), in_file_(std::move(in_file)) {}

  struct Made {
    std::shared_ptr<const CompiledBlock> block;
    SavedCompiled::Key key{};  ///< of an engine that saves blocks
  };
  /// Waits within bounds where another process compiles the same. Throws Error where the engine does not compile it,
  /// and where the deadline of `context` has passed.
  Made make(const UsedEngine& used, const BlockToCompile& block, const RunContext& context);

  /// What the file has of a block.
  const std::vector<SavedCompiled>& in_file(const Graph& region) const;

 private:
  std::shared_ptr<const CompiledBlock> load_of_file(const UsedEngine& used, const BlockToCompile& block,
                                                    const SavedCompiled::Key& key);
  std::shared_ptr<const CompiledBlock> load_kept(const UsedEngine& used, const BlockToCompile& block,
                                                 const std::string& key) const;
  void log_unfit(const UsedEngine& used, std::string_view reason);

  FileCache cache_;
  CompiledInFile in_file_;
  std::atomic<bool> waits_ = true;  // for other processes, until that was in vain
  std::atomic<bool> told_ = false;  // that the file has something of no use
};

/// `block` as files hold it; without bytes where its engine does not say it. Throws Error.
SavedCompiled saved_form(const UsedEngine& used, const EngineStore::Made& made);

}  // namespace coracle::internal
