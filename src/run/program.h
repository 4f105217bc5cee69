// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "graph/model_info.h"
#include "plan/planner.h"
#include "run/block_runner.h"
#include "run/options.h"
#include "run/step_cache.h"

namespace coracle::internal {

/// A graph ready to be planned and run: its kernels, packed weights and value lifetimes, regions included.
/// Immutable but for the packed weights, the constants on devices and the cached steps, which grow under locks; shared
/// by all sessions.
class Program {
 public:
  /// `saved`: packed weights of its file; `blocks`: runs nodes that are blocks (block_runner.h), null: they run
  /// natively.
  Program(std::shared_ptr<const Graph> graph, const ProgramOptions& options, std::vector<PackedConstants> saved = {},
          std::shared_ptr<BlockRunners> blocks = nullptr);

  struct GraphInfo {
    int32_t number = 0;  ///< among numbered_graphs
    std::string key;     ///< "main", "main/while_3/0"
    GraphUses uses;
    size_t cut = SIZE_MAX;           ///< loop_cut, of bodies of loops
    std::vector<ValueId> stay = {};  ///< results that may stay on a device: of regions, what is handed on unread

    /// Where a segment from `position` on ends at the latest.
    size_t end_of_segment(size_t position) const { return position < cut ? cut : SIZE_MAX; }
  };

  const Graph& graph() const { return *graph_; }
  const GraphInfo& info(const Graph& graph) const { return infos_.at(&graph); }
  const KernelSelector& selector() const { return selector_; }
  PackedWeights& packed() const { return packed_; }
  /// Null where blocks run natively.
  BlockRunners* blocks() const { return blocks_.get(); }
  StepCache& steps() const { return steps_; }
  /// What runs steps on devices for one session; null where it uses none.
  std::unique_ptr<DeviceRunner> make_devices(size_t recording_bytes) const {
    return selector_.devices().empty() ? nullptr : device_runner_(selector_.devices(), recording_bytes);
  }
  /// By device of the selector.
  std::span<const std::unique_ptr<DeviceConstants>> constants() const { return constants_; }
  /// Bytes of devices' memory that constants take.
  size_t device_bytes() const;

 private:
  void add(const Graph& graph, const std::string& key);

  std::shared_ptr<const Graph> graph_;
  KernelSelector selector_;
  std::unordered_map<const Graph*, GraphInfo> infos_;
  mutable PackedWeights packed_;
  std::shared_ptr<BlockRunners> blocks_;
  mutable StepCache steps_;
  MakeDeviceRunner device_runner_;
  std::vector<std::unique_ptr<DeviceConstants>> constants_;
};

/// What sessions are made of: a program, and what its file says of it. Immutable, shared by any number of sessions.
class RunnableModel {
 public:
  /// `declared_sizes_bind`: inputs have the fixed sizes that `info` declares.
  RunnableModel(ModelInfo info, std::shared_ptr<const Program> program, bool declared_sizes_bind)
      : info_(std::move(info)), program_(std::move(program)), declared_sizes_bind_(declared_sizes_bind) {}

  const ModelInfo& info() const { return info_; }
  const std::shared_ptr<const Program>& program() const { return program_; }
  bool declared_sizes_bind() const { return declared_sizes_bind_; }

 private:
  ModelInfo info_;
  std::shared_ptr<const Program> program_;
  bool declared_sizes_bind_;
};

}  // namespace coracle::internal
