// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/recorded_commands.h"

#include <algorithm>
#include <utility>

#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {

RecordedCommands::~RecordedCommands() {
  if (exec_ == nullptr) return;
  const ContextScope scope = device_->enter();
  device_->api().cuGraphExecDestroy(exec_);
}

bool RecordedCommands::is_taken(CUresult code) noexcept {
  device_->note(code);
  return code == CUDA_SUCCESS;
}

/// On a stream of its own: one whose capture goes wrong may take no work any more. Others in the process may do what
/// they like meanwhile, as the capture is this thread's.
bool RecordedCommands::capture() noexcept {
  const DriverApi& api = device_->api();
  CUstream stream = nullptr;
  if (!is_whole_ || !is_taken(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING))) return false;
  CUgraph graph = nullptr;
  if (is_taken(api.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))) {
    const bool all = std::all_of(commands_.begin(), commands_.end(),
                                 [&](const Command& command) { return is_taken(command.give(stream)); });
    const bool has_graph = is_taken(api.cuStreamEndCapture(stream, &graph)) && graph != nullptr;
    if (has_graph && (!all || !is_taken(api.cuGraphInstantiateWithFlags(&exec_, graph, 0)))) exec_ = nullptr;
    if (has_graph) api.cuGraphDestroy(graph);
  }
  api.cuStreamDestroy_v2(stream);
  return exec_ != nullptr;
}

bool RecordedCommands::launch(CUstream stream) noexcept {
  if (exec_ == nullptr) return false;
  if (is_taken(device_->api().cuGraphLaunch(exec_, stream))) return true;
  device_->api().cuGraphExecDestroy(std::exchange(exec_, nullptr));
  return false;
}

}  // namespace coracle::internal::cuda
