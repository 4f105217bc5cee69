// SPDX-License-Identifier: Apache-2.0
// Graphs: what a stream is given while it is captured, and launched as one later.
#include <thread>

#include "support/fake_cuda/driver_state.h"
#include "support/fake_cuda/stop.h"

using namespace coracle::internal::cuda;       // NOLINT(google-build-using-namespace): the names that it exports
using namespace coracle::internal::fake_cuda;  // NOLINT(google-build-using-namespace)

extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  ENTER(kContext);
  if (mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) stop("a capture that others in the process would meet");
  const std::shared_ptr<Stream> stream = Driver::get().stream_of(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream->capture = std::make_unique<Capture>(Capture{.thread = std::this_thread::get_id()});
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  ENTER(kContext);
  *graph = nullptr;
  const std::shared_ptr<Stream> stream = Driver::get().stream_of(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture->thread != std::this_thread::get_id()) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const std::unique_ptr<Capture> capture = std::move(stream->capture);
  if (!capture->is_valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = Driver::get().graphs.add(capture->graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph handle, uint64_t flags) {
  ENTER(kOutsideCapture);
  const std::shared_ptr<Graph> graph = Driver::get().graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *exec = Driver::get().graph_execs.add(std::make_shared<Graph>(*graph));
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  ENTER(kContext);
  const std::shared_ptr<Graph> graph = Driver::get().graph_execs.find(handle);
  const std::shared_ptr<Stream> stream = Driver::get().stream_of(stream_handle);
  if (graph == nullptr || stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) stop("a graph is launched in a stream that is captured");
  if (!Streams::launch(*stream, graph)) stop("a graph is launched of which memory or a kernel is gone");
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec handle) {
  ENTER(kContext);
  return Driver::get().graph_execs.remove(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph handle) {
  ENTER(kContext);
  return Driver::get().graphs.remove(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

}  // extern "C"
