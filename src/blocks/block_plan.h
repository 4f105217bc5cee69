// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blocks/choice.h"

/// Which nodes of a graph run on which engine, as blocks: sets of nodes that an engine runs as one. No way between two
/// nodes of a block leads through a node outside of it, nor do blocks wait for each other in a circle.
namespace coracle::internal {

struct Block {
  size_t engine = 0;  ///< index among EngineChoice::engines
  std::vector<NodeId> nodes;
  bool marked = false;   ///< a user gave one of them to the engine
  bool dropped = false;  ///< runs natively after all
  int saved = -1;        ///< index among EngineChoice::saved, or -1
};

/// What is decided, by stages that work on it one after the other.
class BlockPlan {
 public:
  static constexpr int kNone = -1;
  static constexpr int kNative = -2;

  /// `number`: of the graph, among numbered_graphs.
  BlockPlan(const Graph& graph, const EngineChoice& choice, int32_t number = 0, const RunContext& context = kNoRun);

  const RunContext& context() const { return context_; }
  const Graph& graph() const { return graph_; }
  int32_t number() const { return number_; }
  const EngineChoice& choice() const { return choice_; }
  std::string_view name_of(size_t engine) const { return choice_.engines[engine].name; }

  struct NodeState {
    int block = kNone;
    int marked = kNone;      ///< the engine that a user gave it to, or kNative
    bool candidate = false;  ///< of the engine whose turn it is
    std::string cause;       ///< why engines do not run it
  };
  NodeState& state(NodeId id) { return states_[index(id)]; }
  const NodeState& state(NodeId id) const { return states_[index(id)]; }
  const std::vector<Block>& blocks() const { return blocks_; }

  void add_block(Block block);
  /// Its nodes run natively, unless an engine to come takes them.
  void drop(size_t block, std::string_view cause);
  static void add_cause(NodeState& state, std::string_view engine, std::string_view cause);

 private:
  const RunContext& context_;
  const Graph& graph_;
  const EngineChoice& choice_;
  int32_t number_;
  std::vector<NodeState> states_;  // by node
  std::vector<Block> blocks_;
};

/// One step of finding blocks for one engine; run for each in order of preference. Left out where its name is among
/// PassOptions::disabled.
struct BlockStage {
  const char* name;
  void (*run)(BlockPlan& plan, size_t engine);
  bool saved = false;  ///< where the blocks are those of a saved model; the others where they are not
};

/// All of them, in order.
std::span<const BlockStage> block_stages();

void take_saved(BlockPlan& plan, size_t engine);    ///< the blocks of a saved model, as far as the engine takes them
void mark_nodes(BlockPlan& plan, size_t engine);    ///< nodes that a user gives to the engine
void detect_nodes(BlockPlan& plan, size_t engine);  ///< nodes that it says it takes
void grow_blocks(BlockPlan& plan, size_t engine);   ///< what hangs together becomes a block; without it there are none
void drop_small(BlockPlan& plan, size_t engine);    ///< blocks of fewer than min_ops nodes
void drop_costly(BlockPlan& plan, size_t engine);   ///< blocks whose operands and results cost more than their nodes

/// Why an engine does not run a node; empty if it can.
std::string refusal_of(const BlockPlan& plan, size_t engine, const Node& node);

/// Which of the groups that can run next is the next one.
enum class GroupOrder : uint8_t {
  kProgram,  ///< the one whose first node is first in the program
  kOverlap,  ///< of those that wait for fewest blocks one after the other a block, else as above: what is independent
             ///< of a block comes between it and those that use its results
};

/// The groups of a graph, blocks and nodes alone, in an order in which they can run.
struct Groups {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> of_node;                     ///< by node; kNone for dead ones
  std::vector<std::vector<NodeId>> nodes;            ///< by group
  std::vector<int> block;                            ///< by group: its number, or BlockPlan::kNone
  std::vector<std::pair<uint32_t, uint32_t>> edges;  ///< from a group to one that uses its results, or that must not
                                                     ///< run before it; the first number is the lower one
};
Groups groups_of(const BlockPlan& plan, GroupOrder order);

}  // namespace coracle::internal
