// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "plan/planner.h"
#include "run/engine_blocks.h"
#include "run/options.h"
#include "run/step_cache.h"

namespace coracle {

/// A graph ready to be planned and run: its kernels, packed weights and value lifetimes, regions included.
/// Immutable but for the packed weights, the constants on devices, what engines compile and the cached steps, which
/// grow under locks; shared by all sessions.
class Program {
 public:
  /// `saved`: packed weights of its file; `compiled`: what the file has of its blocks.
  Program(std::shared_ptr<const Graph> graph, const ModelOptions& options, std::vector<PackedConstants> saved = {},
          CompiledInFile compiled = {});

  struct GraphInfo {
    int32_t number = 0;  ///< among numbered_graphs
    std::string key;     ///< "main", "main/while_3/0"
    GraphUses uses;
    std::vector<bool> async;  ///< async_nodes
    size_t cut = SIZE_MAX;    ///< loop_cut, of bodies of loops

    /// Where a segment from `position` on ends at the latest.
    size_t end_of_segment(size_t position) const { return position < cut ? cut : SIZE_MAX; }
  };

  const Graph& graph() const { return *graph_; }
  const GraphInfo& info(const Graph& graph) const { return infos_.at(&graph); }
  const KernelSelector& selector() const { return selector_; }
  PackedWeights& packed() const { return packed_; }
  EngineBlocks& engine_blocks() const { return engine_blocks_; }
  StepCache& steps() const { return steps_; }
  /// By device of the selector.
  std::span<const std::unique_ptr<DeviceConstants>> constants() const { return constants_; }
  /// Bytes of devices' memory that constants take.
  size_t device_bytes() const;

 private:
  void add(const Graph& graph, const std::string& key, bool async);

  std::shared_ptr<const Graph> graph_;
  KernelSelector selector_;
  std::unordered_map<const Graph*, GraphInfo> infos_;
  mutable PackedWeights packed_;
  mutable EngineBlocks engine_blocks_;
  mutable StepCache steps_;
  std::vector<std::unique_ptr<DeviceConstants>> constants_;
};

}  // namespace coracle
