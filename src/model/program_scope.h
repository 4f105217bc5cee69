// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"
#include "graph/operator_set.h"
#include "model/programdesc.h"

namespace coracle::internal {

/// Facts about all blocks of a program that importing one needs.
class ProgramBlocks {
 public:
  /// Throws Error where sub-blocks do not form a tree. `operators`, which outlive it, are those that there are.
  ProgramBlocks(const programdesc::Program& program, const OperatorSet& operators);

  const programdesc::Program& program() const { return program_; }
  const OperatorSet& operators() const { return operators_; }
  const programdesc::Block& block(size_t i) const { return program_.blocks[i]; }
  /// The declaration of a variable as seen from a block, or null.
  const programdesc::Variable* find(size_t block, std::string_view name) const;
  /// Variables of outer blocks that operators of this block or blocks below write, in order of first writing.
  const std::vector<std::string_view>& outer_writes(size_t block) const { return outer_writes_[block]; }
  /// True if a loop or a branch writes a variable of the main block. Exporters then declare the type that it leaves.
  bool is_written_inside(std::string_view name) const { return written_inside_.contains(name); }
  /// True if any operator of the program takes the variable.
  bool is_read(std::string_view name) const { return read_.contains(name); }

 private:
  void check_tree() const;
  void collect_outer_writes(size_t block);
  bool declares(size_t block, std::string_view name) const { return declared_[block].contains(name); }

  const programdesc::Program& program_;
  const OperatorSet& operators_;
  std::vector<std::unordered_map<std::string_view, const programdesc::Variable*>> declared_;
  std::vector<std::vector<std::string_view>> outer_writes_;
  std::unordered_set<std::string_view> read_;
  std::unordered_set<std::string_view> written_inside_;
};

/// The variables of one block while it is imported: which value each name stands for at this point of the program.
/// In a region, values of the outer scope become inputs of the region (constants are taken over) when first used.
class ProgramScope {
 public:
  ProgramScope(Graph& graph, size_t block, ProgramScope* outer)
      : graph_(graph),
        work_(graph, outer == nullptr ? graph.context() : outer->graph_.context()),
        block_(block),
        outer_(outer) {}

  Graph& graph() { return graph_; }
  size_t block() const { return block_; }
  ProgramScope* outer() { return outer_; }

  /// The value of a variable, or kNoValue if nothing has written it.
  ValueId find(std::string_view name);
  void bind(std::string_view name, ValueId value);
  /// A value that is made when the variable is first used, by a function that binds it. `owner` tells whose it is.
  void bind_later(std::string_view name, const void* owner, std::function<void()> make);
  /// The owner of the name's waiting function, or null if it is bound.
  const void* pending_owner(std::string_view name) const;

  /// From now on nothing is taken as known of the types of captured values.
  void know_nothing() { blind_ = true; }
  /// The value of this graph for one of the outer graph.
  ValueId capture(ValueId outer);
  /// Values of the outer graph that have become inputs of this one, in order.
  const std::vector<ValueId>& captured() const { return captured_; }

 private:
  struct Binding {
    ValueId value = kNoValue;
    std::function<void()> make;
    const void* owner = nullptr;
  };

  Graph& graph_;
  const WorkOnGraph work_;  // a region goes by the context of the graph around it
  size_t block_;
  ProgramScope* outer_;
  bool blind_ = false;
  std::unordered_map<std::string_view, Binding> names_;
  std::unordered_map<int32_t, ValueId> inner_of_;
  std::vector<ValueId> captured_;
};

}  // namespace coracle::internal
