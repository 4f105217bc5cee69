// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/precision.h"
#include "graph/graph.h"

/// Engines: libraries of others that take a part of a graph as a whole, a block, and run it in their own way. How
/// blocks are found, what is compiled when, and what happens where an engine fails stands in src/blocks;
/// an engine knows nothing of it.
namespace coracle::internal {

/// What a user chooses for an engine.
struct EngineOptions {
  std::string device = {};                    ///< of the engine, as it names them ("CPU", "GPU"); empty: its first
  Precision precision = Precision::kDefault;  ///< below kHigh the engine may round as it likes
};

/// A dimension of a block's input that has other sizes in other runs.
struct VaryingDim {
  static constexpr int64_t kOpen = INT64_MAX;
  int32_t input = 0;  ///< among the block's
  int32_t dim = 0;
  int64_t min = 1;
  int64_t max = kOpen;
  friend bool operator==(const VaryingDim&, const VaryingDim&) = default;
};

/// A block for given shapes, or for all that differ from them in some dimensions alone.
struct BlockToCompile {
  const Graph& graph;  ///< its inputs, constants, nodes in order and outputs; stays while what is compiled of it lives
  std::span<const Fact> facts;  ///< by value, known all of them, with elements where those are known; for the call only
  int threads = 1;              ///< that a run may keep busy, the caller's included
  const EngineOptions& options;
  std::span<const VaryingDim> varying = {};  ///< only for engines that say Engine::varies
  /// Where dimensions vary: facts at sizes of which each varying dimension has at least two.
  std::span<const std::vector<Fact>> examples = {};
  const RunContext* context = &kNoRun;  ///< of the run that needs it; for the call only
};

/// What one session needs to run a block. One thread at a time.
class BlockRun {
 public:
  virtual ~BlockRun() = default;
  /// `inputs` are row-major and of the types that the block was compiled for, but for those whose elements were known
  /// then, which are as they were; of the sizes that it was compiled for, or others that CompiledBlock::serves has said
  /// yes to. `outputs` have memory of the results' types, to be written. Throws Error; then
  /// outputs are as they may be.
  virtual void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) = 0;
};

/// A block that an engine has compiled. Immutable, used by any number of threads.
class CompiledBlock {
 public:
  virtual ~CompiledBlock() = default;
  /// Throws Error.
  virtual std::unique_ptr<BlockRun> make_run() const = 0;
  /// About how much memory it takes beside the graph's constants; 0 where the engine does not tell.
  virtual size_t bytes() const { return 0; }
  /// Whether it may run for these facts too, of a block with the same graph, threads and options, which differ from
  /// those it was compiled for in its varying dimensions, and in elements of inputs that are known. Yes only if
  /// compiling for them would give the same program.
  virtual bool serves(const BlockToCompile& /*block*/) const { return false; }
  /// What Engine::load makes it of again, in another process too. Throws Error.
  virtual std::vector<uint8_t> save() const { return {}; }
};

/// Immutable, used by any number of threads; lives as long as the process.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< "openvino", as people write it

  /// Whether its library is there: empty, or what is missing and what to do. Loads it. Throws only for memory.
  virtual std::string missing() const = 0;
  /// Which library it is, with its version, for people and for the keys of caches; empty if it is missing.
  virtual std::string version() const = 0;
  /// The file that it runs from, for people; empty if it is missing, or a part of this library.
  virtual std::string file() const { return {}; }
  /// Why it does not take a node of a graph, for people; empty if it does. Types may be unknown in part: what they turn
  /// out to be may still be refused by `compile`. Needs no library. Throws only for memory.
  virtual std::string refusal(const Graph& graph, const Node& node) const = 0;
  /// Throws Error where it does not take the block, or not with varying dimensions.
  virtual std::shared_ptr<const CompiledBlock> compile(const BlockToCompile& block) const = 0;

  /// True if it may compile blocks with varying dimensions.
  virtual bool varies() const { return false; }

  /// True if blocks have `save` and `load`.
  virtual bool saves_blocks() const { return false; }
  /// The block again, of what `save` gave for one that was compiled of the same, by the same version on the same
  /// processor: uint8[bytes], which may be kept. Throws Error where it cannot be used.
  virtual std::shared_ptr<const CompiledBlock> load(const BlockToCompile& block, const Tensor& saved) const;
};

/// The engines of this build, generated from the folders of src/engines.
std::span<const Engine* const> all_engines();

/// Names of the engines of this build, then of the plug-ins that lie where they are looked for, each once.
std::vector<std::string> engine_names();

/// An engine, or why there is none of the name.
struct FoundEngine {
  const Engine* engine = nullptr;
  std::string missing;
};

/// The engine of a name: of this build, or else of a plug-in (src/engines/plugin.h).
FoundEngine find_engine(std::string_view name);

}  // namespace coracle::internal
