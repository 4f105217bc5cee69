// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "blocks/block_sizes.h"
#include "blocks/engine_store.h"
#include "run/block_runner.h"

namespace coracle::internal {

/// What an engine has compiled of a block, for one size or for many.
struct HeldBlock {
  EngineStore::Made made;
  std::vector<Fact> operands;       ///< that it was compiled for
  std::vector<VaryingDim> varying;  ///< where others may differ
  int threads = 0;
  std::string attempt;       ///< key of what it was tried with, where it varies
  bool serves_more = false;  ///< other sizes than it has served yet
  uint64_t used = 0;
  std::atomic<bool> dropped = false;  ///< by the model: sessions let it go, too
};

/// A block for operands of certain types.
struct CompiledFor {
  std::string key;                             ///< of all that it was compiled from besides the block
  std::shared_ptr<const CompiledBlock> block;  ///< null: it runs natively
  std::vector<Fact> results;
  std::shared_ptr<HeldBlock> held = nullptr;  ///< that has `block`
};

/// The blocks of a program, compiled for all its sessions when one of them first runs them with operands of some types.
/// For any thread.
///
/// A block that meets a second size is compiled once more with the dimensions varying that have differed, where its
/// engine can; what was compiled so runs later sizes as far as the engine says that it serves them. Where the user has
/// given ranges the first compile is for these, and sizes outside of them run natively.
///
/// An engine that is missing, does not take a block or fails in a run is told to the logger, once for each block; what
/// it would have run runs natively then.
class EngineBlocks : public BlockRunners {
 public:
  /// So many times a block stays compiled; what was used least recently goes.
  static constexpr size_t kMaxCompiled = 8;
  /// For so many types of operands it is known what runs them.
  static constexpr size_t kMaxSizes = 64;

  /// What engines save of blocks is kept in `cache`, and was in the file of the model. `graph`: whose blocks these are.
  /// `most_bytes`: of what is compiled; beyond it goes what was used least recently, but for what each block has used
  /// last.
  EngineBlocks(EngineChoice choice, FileCache cache, CompiledInFile in_file, const Graph& graph, size_t most_bytes,
               const RunContext& context);
  ~EngineBlocks() override = default;
  EngineBlocks(const EngineBlocks&) = delete;
  EngineBlocks& operator=(const EngineBlocks&) = delete;
  std::unique_ptr<BlockRunner> make(BlockHost& host, int threads, int parallel,
                                    const std::shared_ptr<Workers>& workers) override;
  /// In the folder that the environment variable CORACLE_ENGINE_CACHE names, or the user's.
  static FileCache default_cache();

  /// Whether a node of one of the graphs may run at the same time as others (async_nodes).
  bool async(const Graph& graph, NodeId node) const { return async_.at(&graph)[index(node)]; }
  /// By operand of a block: whether sizes within it may follow from its elements. Then `find` is given them.
  const std::vector<bool>& decides_sizes(const Node& block);
  /// The block for such operands, compiled now if it was not before; null if it runs natively. Throws Error where the
  /// deadline of `context` passes meanwhile.
  std::shared_ptr<const CompiledFor> find(const Node& block, std::span<const Fact> operands, int threads,
                                          const RunContext& context);
  /// It has failed in a run: from now on the block runs natively with such operands.
  void give_up(const Node& block, const CompiledFor& failed, std::string_view reason);
  /// What there is compiled of the block with this region, for a file: that of the model's own file too. Throws Error.
  std::vector<SavedCompiled> saved(const Graph& region);
  /// Of what is compiled, as far as engines tell.
  size_t bytes() const { return bytes_; }

 private:
  struct State {
    explicit State(const Node& block);
    std::vector<bool> decides_sizes;
    std::mutex mutex;
    const UsedEngine* engine = nullptr;
    const BlockRange* range = nullptr;                    // given by the user
    std::list<std::shared_ptr<const CompiledFor>> sizes;  // the one used last in front
    std::vector<std::shared_ptr<HeldBlock>> held;
    std::list<std::vector<Fact>> seen;  // operands that differ from others in further dimensions, the newest in front
    std::set<std::string> attempts;     // to compile for varying dimensions
    bool varies = true;                 // no run of what varies has failed
    bool told = false;
  };
  /// A block with operands of some types, and what follows from them.
  struct Wanted {
    const Node& block;
    std::span<const Fact> operands;
    std::span<const Fact> facts;
    int threads;
    const RunContext& context;
  };
  void add_async(const Graph& graph, bool all);
  State& state_of(const Node& block);
  const UsedEngine& engine_of(const Node& block);
  std::shared_ptr<const CompiledFor> compile(State& state, const Node& block, std::span<const Fact> operands,
                                             int threads, std::string key, const RunContext& context);
  std::shared_ptr<HeldBlock> compile_for_one(State& state, const Wanted& wanted);
  std::shared_ptr<HeldBlock> compile_for_many(State& state, const Wanted& wanted);
  void drop(State& state, const std::shared_ptr<HeldBlock>& held);
  void trim(State& state);
  static void tell(State& state, const Node& block, std::string_view reason);

  std::unordered_map<const Graph*, std::vector<bool>> async_;  // by node
  std::mutex mutex_;
  EngineChoice choice_;
  EngineStore store_;
  size_t most_bytes_;
  std::atomic<size_t> bytes_ = 0;
  std::atomic<uint64_t> uses_ = 0;
  std::unordered_map<const Graph*, BlockRange> ranges_;              // by region
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
    std::shared_ptr<const CompiledBlock> block;
    std::shared_ptr<const HeldBlock> held;
    std::unique_ptr<BlockRun> run;
  };
  std::unordered_map<const Graph*, std::list<Run>> runs_;  // by region, the one used last in front
};

}  // namespace coracle::internal
