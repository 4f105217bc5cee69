// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file_cache.h"
#include "plan/blocks/choice.h"

namespace coracle {

/// A block compiled for operands of certain types.
struct CompiledFor {
  std::string key;                             ///< of all that it was compiled from besides the block
  std::shared_ptr<const CompiledBlock> block;  ///< null: it runs natively
  std::vector<Fact> results;
};

/// The blocks of a program, compiled for all its sessions when one of them first runs them with operands of some types.
/// For any thread.
///
/// An engine that is missing, does not take a block or fails in a run is told to the logger, once for each block; what
/// it would have run runs natively then.
class EngineBlocks {
 public:
  /// So many types of operands a block stays compiled for; those used least recently go.
  static constexpr size_t kMaxCompiled = 8;

  /// What engines save of blocks is kept in `cache`.
  EngineBlocks(EngineChoice choice, FileCache cache) : choice_(std::move(choice)), cache_(std::move(cache)) {}
  /// In the folder that the environment variable CORACLE_ENGINE_CACHE names, or the user's.
  static FileCache default_cache();

  /// By operand of a block: whether sizes within it may follow from its elements. Then `find` is given them.
  const std::vector<bool>& decides_sizes(const Node& block);
  /// The block for such operands, compiled now if it was not before; null if it runs natively.
  std::shared_ptr<const CompiledFor> find(const Node& block, std::span<const Fact> operands, int threads);
  /// It has failed in a run: from now on the block runs natively with such operands.
  void give_up(const Node& block, const CompiledFor& failed, std::string_view reason);

 private:
  struct State {
    explicit State(const Node& block);
    std::vector<bool> decides_sizes;
    std::mutex mutex;
    const UsedEngine* engine = nullptr;
    std::list<std::shared_ptr<const CompiledFor>> compiled;  // the one used last in front
    bool told = false;
  };
  State& state_of(const Node& block);
  const UsedEngine& engine_of(const Node& block);
  std::shared_ptr<const CompiledBlock> compile_or_load(const UsedEngine& used, const BlockToCompile& block) const;
  std::shared_ptr<const CompiledFor> compile(State& state, const Node& block, std::span<const Fact> operands,
                                             int threads, std::string key);
  static void tell(State& state, const Node& block, std::string_view reason);

  std::mutex mutex_;
  EngineChoice choice_;
  FileCache cache_;
  std::list<UsedEngine> others_;                                     // that the file of a model names
  std::unordered_map<const Graph*, std::unique_ptr<State>> states_;  // by region
};

/// What one session needs to run blocks: as many as are compiled. One thread at a time.
class EngineRuns {
 public:
  /// Throws what the engine does.
  BlockRun& of(const Node& block, const std::shared_ptr<const CompiledFor>& compiled);
  void drop(const CompiledFor& compiled);
  void clear() { runs_.clear(); }

 private:
  struct Run {
    std::shared_ptr<const CompiledFor> compiled;
    std::unique_ptr<BlockRun> run;
  };
  std::unordered_map<const Graph*, std::list<Run>> runs_;  // by region, the one used last in front
};

}  // namespace coracle
