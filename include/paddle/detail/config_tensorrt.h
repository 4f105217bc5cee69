// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config_device.h"

namespace paddle {
namespace detail {

/// The part of a Config for TensorRT, which does not exist here: like a Paddle without a GPU, all of it is recorded,
/// and nothing of it is on. CollectShapeRangeInfo works.
struct TensorRtChoice : DeviceChoice {
  using DeviceChoice::DeviceChoice;
  using Shapes = std::map<std::string, std::vector<int>>;

  void EnableTensorRtEngine(int64_t workspace_size = 1 << 30, int max_batch_size = 1, int min_subgraph_size = 3,
                            Precision precision = Precision::kFloat32, bool use_static = false,
                            bool use_calib_mode = true, bool use_cuda_graph = false) {
    (void)workspace_size;
    (void)max_batch_size;
    (void)min_subgraph_size;
    (void)use_static;
    (void)use_calib_mode;
    (void)use_cuda_graph;
    tensorrt_precision_ = precision;
    record("EnableTensorRtEngine", kEngine);
  }
  bool tensorrt_engine_enabled() const { return false; }
  Precision tensorrt_precision_mode() const { return tensorrt_precision_; }
  void SetTRTDynamicShapeInfo(const Shapes& min_input_shape, const Shapes& max_input_shape,
                              const Shapes& optim_input_shape, bool disable_trt_plugin_fp16 = false) {
    (void)max_input_shape;
    (void)optim_input_shape;
    (void)disable_trt_plugin_fp16;
    tensorrt_dynamic_shape_ = !min_input_shape.empty();
    record("SetTRTDynamicShapeInfo", "any shape may be run");
  }
  bool tensorrt_dynamic_shape_enabled() const { return tensorrt_dynamic_shape_; }

  /// Least, largest and most frequent shapes of all variables in all runs, written when the predictor and its clones
  /// are gone. Every operator runs alone then, as in Paddle.
  void CollectShapeRangeInfo(const std::string& shape_range_info_path) {
    require(!shape_range_info_path.empty(), "CollectShapeRangeInfo needs the path of a file to write");
    shape_range_info_path_ = shape_range_info_path;
    shape_range_info_collected_ = true;
  }
  const std::string& shape_range_info_path() const { return shape_range_info_path_; }
  bool shape_range_info_collected() const { return shape_range_info_collected_; }
  void EnableTunedTensorRtDynamicShape(const std::string& shape_range_info_path = "",
                                       bool allow_build_at_runtime = true) {
    shape_range_info_path_ = shape_range_info_path;
    allow_build_at_runtime_ = allow_build_at_runtime;
    tuned_dynamic_shape_ = true;
    record("EnableTunedTensorRtDynamicShape", "any shape may be run; the file is not read");
  }
  bool tuned_tensorrt_dynamic_shape() const { return tuned_dynamic_shape_; }
  bool trt_allow_build_at_runtime() const { return allow_build_at_runtime_; }

  void Exp_DisableTensorRtOPs(const std::vector<std::string>&) { record("Exp_DisableTensorRtOPs", kEngine); }
  void Exp_DisableTensorRtSubgraph(const std::vector<std::string>&) { record("Exp_DisableTensorRtSubgraph", kEngine); }
  void Exp_SpecifyTensorRTSubgraphPrecision(const std::vector<std::string>&, const std::vector<std::string>&,
                                            const std::vector<std::string>&) {
    record("Exp_SpecifyTensorRTSubgraphPrecision", kEngine);
  }
  void Exp_DisableTensorRTDynamicShapeOPs(bool) { record("Exp_DisableTensorRTDynamicShapeOPs", kEngine); }
  void MarkTrtEngineOutputs(const std::vector<std::string>& = {}) { record("MarkTrtEngineOutputs", kEngine); }
  void EnableVarseqlen() { record("EnableVarseqlen", kEngine); }
  void EnableTensorRtOSS() { record("EnableTensorRtOSS", kEngine); }
  bool tensorrt_varseqlen_enabled() { return false; }
  bool tensorrt_oss_enabled() { return false; }
  void EnableTensorRtInspector(bool = false) { record("EnableTensorRtInspector", kEngine); }
  bool tensorrt_inspector_enabled() { return false; }
  void EnableTensorRtDLA(int = 0) { record("EnableTensorRtDLA", kEngine); }
  bool tensorrt_dla_enabled() { return false; }
  void EnableTensorRTMemoryOptim(bool = true, int = 0) { record("EnableTensorRTMemoryOptim", kEngine); }
  bool trt_engine_memory_sharing() const { return false; }
  void EnableTensorRtExplicitQuantization() { record("EnableTensorRtExplicitQuantization", kEngine); }
  bool tensorrt_explicit_quantization_enabled() const { return false; }
  void SetTensorRtOptimizationLevel(int level) {
    require(level >= 0 && level <= 5, "SetTensorRtOptimizationLevel takes 0 to 5, given ", level);
    tensorrt_optimization_level_ = level;
    record("SetTensorRtOptimizationLevel", kEngine);
  }
  int tensorrt_optimization_level() { return tensorrt_optimization_level_; }

 protected:
  Precision tensorrt_precision_ = Precision::kFloat32;
  bool tensorrt_dynamic_shape_ = false;
  bool shape_range_info_collected_ = false;
  bool tuned_dynamic_shape_ = false;
  bool allow_build_at_runtime_ = false;
  int tensorrt_optimization_level_ = 3;
  std::string shape_range_info_path_;
};

}  // namespace detail
}  // namespace paddle
