// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "devices/cuda/faults/stand_in.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {

/// Three steps on the device; nothing of it depends on sizes.
inline const char* const kChain = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(1)
  %a = matmul(%x, @w)
  %b = softmax(%a)
  %c = matmul(%b, @w)
  return %c "y"
})";

/// Models on the stand-in, where every node runs that it takes, and what it counts of graphs.
class CudaGraphs : public CudaStandIn {
 protected:
  template <class G>
  static std::shared_ptr<const Model> model(G&& graph, unsigned seed = 0, unsigned percent = 0) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    std::mt19937 random(seed);
    for (const KernelTable* table : kDevice.kernels()) {
      for (const KernelDef& kernel : table->kernels) {
        if (random() % 100 < percent) options.kernels.disabled.emplace_back(kernel.name);
      }
    }
    return model_of(std::forward<G>(graph), options);
  }
  /// Without graphs.
  static std::vector<Tensor> singly(const std::shared_ptr<const Model>& model, const std::vector<Tensor>& inputs) {
    return run_fresh(model, inputs, {.threads = 1, .recording_bytes = 0});
  }
  static Tensor rows(int64_t count) { return random_tensor({count, 8}, static_cast<unsigned>(count)); }
  int64_t captured() const { return calls_("cuStreamBeginCapture_v2"); }
  int64_t launched() const { return calls_("cuGraphLaunch"); }
  /// Kernels, products and convolutions that a stream was given by themselves.
  int64_t single() const { return calls_("cuLaunchKernel") + calls_("cublasLtMatmul") + calls_("cudnnBackendExecute"); }
  /// Graphs that are kept.
  int64_t kept() const { return calls_("cuGraphInstantiateWithFlags") - calls_("cuGraphExecDestroy"); }
};

}  // namespace coracle::internal::test
