// SPDX-License-Identifier: Apache-2.0
#pragma once

/// paddle_infer::experimental. Included by paddle_inference_api.h.
#include <string>
#include <unordered_set>

#include "../paddle_inference_api.h"

// As the CUDA and HIP headers declare them.
using cudaStream_t = struct CUstream_st*;
using hipStream_t = struct ihipStream_t*;

namespace paddle_infer {
namespace experimental {

struct XpuRuntimeConfig {
  void* context = nullptr;
  void* stream = nullptr;
  size_t l3_size = 16773120;
  void* l3_ptr = nullptr;
  size_t l3_autotune_size = 0;
};

/// Runs and copies are done when the call returns.
class PD_INFER_DECL InternalUtils {
 public:
  /// The run, and those after it, begin after what the stream was given.
  static bool RunWithExternalStream(Predictor* pred, cudaStream_t stream) {
    paddle::detail::require(pred != nullptr, "InternalUtils was given a null pointer as predictor");
    return pred->predictor_->run_on(stream);
  }
  static bool RunWithExternalStream(Predictor* pred, hipStream_t) { return run(pred); }
  static bool RunWithRuntimeConfig(Predictor* pred, void*) { return run(pred); }
  static void UpdateConfigInterleaved(Config*, bool) {}
  static void SetTransformerPosid(Config*, const std::string&) {}
  static void SetTransformerMaskid(Config*, const std::string&) {}
  static void DisableTensorRtHalfOps(Config*, const std::unordered_set<std::string>&) {}
  static void SyncStream(Predictor*) {}
  static void SyncStream(cudaStream_t) {}
  static void SyncStream(hipStream_t) {}
  template <typename T>
  static void CopyFromCpuWithIoStream(Tensor* t, const T* data, cudaStream_t) {
    t->CopyFromCpu(data);
  }
  template <typename T>
  static void CopyToCpuWithIoStream(Tensor* t, T* data, cudaStream_t) {
    t->CopyToCpu(data);
  }

 private:
  static bool run(Predictor* pred) {
    paddle::detail::require(pred != nullptr, "InternalUtils was given a null pointer as predictor");
    return pred->Run();
  }
};

}  // namespace experimental
}  // namespace paddle_infer

namespace paddle {
namespace experimental {
using paddle_infer::experimental::InternalUtils;
}  // namespace experimental
}  // namespace paddle
