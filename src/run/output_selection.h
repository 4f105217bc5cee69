// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/steps.h"

namespace coracle::internal {

/// The values of a graph that some of its outputs need.
class OutputSelection {
 public:
  /// From now on those of the outputs that are `wanted`, by number; empty: all of them.
  void set(const Graph& graph, const std::vector<bool>& wanted);

  bool is_all() const { return values_.empty(); }
  bool has(ValueId value) const { return values_.empty() || values_[index(value)]; }
  /// Whether a node has to run: for a result that is needed, or for what else it does.
  bool has(const Node& node) const;
  /// Another number for each selection that was set; 0 for all outputs.
  uint64_t number() const { return is_all() ? 0 : number_; }

 private:
  std::vector<bool> values_;  // by value; empty: all
  uint64_t number_ = 0;
};

/// Which of the steps have to run for a selection, and which buffers they then write. A step runs if it writes what a
/// step that runs, a later segment or the caller reads; steps that write into one piece of memory run together.
struct SelectedSteps {
  std::vector<bool> runs;     ///< by step
  std::vector<bool> written;  ///< by buffer
};
SelectedSteps selected_steps(const Graph& graph, const Steps& steps, const OutputSelection& selection);

}  // namespace coracle::internal
