// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "devices/cuda/api.h"
#include "plan/queue.h"

namespace coracle::internal::cuda {

class Opened;

/// Kernels and copies on the device that a queue was given to keep, and the CUDA graph of them. Kernels and memory must
/// stay where they are as long as it is replayed. In the device's context.
class RecordedCommands final : public Recording {
 public:
  struct Command {
    std::function<CUresult(CUstream)> give;
    const char* what;  ///< it is in messages; outlives this
    size_t bytes = 0;
  };

  explicit RecordedCommands(std::shared_ptr<Opened> device) : device_(std::move(device)) {}
  ~RecordedCommands() override;
  RecordedCommands(const RecordedCommands&) = delete;
  RecordedCommands& operator=(const RecordedCommands&) = delete;

  /// Adds what `make` makes. Without memory there will be no graph.
  template <class F>
  void add(const F& make) noexcept {
    try {
      commands_.push_back(make());
    } catch (...) {
      is_whole_ = false;
    }
  }
  /// Makes the graph; false where the driver does not, of which nothing stays.
  bool capture() noexcept;
  /// Gives a stream the graph; false where the driver refuses, for good.
  bool launch(CUstream stream) noexcept;

  const std::vector<Command>& commands() const { return commands_; }
  void set_may_have_faults() { may_have_faults_ = true; }
  bool may_have_faults() const { return may_have_faults_; }

 private:
  bool is_taken(CUresult code) noexcept;

  const std::shared_ptr<Opened> device_;
  std::vector<Command> commands_;
  CUgraphExec exec_ = nullptr;
  bool is_whole_ = true;
  bool may_have_faults_ = false;
};

}  // namespace coracle::internal::cuda
