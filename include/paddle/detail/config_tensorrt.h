// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config_device.h"

namespace paddle {
namespace detail {

/// The part of a Config for TensorRT. A plug-in of Coracle with that name, or the engines that stand in for it, are
/// told what this says of subgraphs, precision and operators; the rest is recorded, as in a Paddle without a GPU.
/// CollectShapeRangeInfo needs no engine.
struct TensorRtChoice : DeviceChoice {
  using DeviceChoice::DeviceChoice;
  using Shapes = std::map<std::string, std::vector<int>>;

  void EnableTensorRtEngine(int64_t workspace_size = 1 << 30, int max_batch_size = 1, int min_subgraph_size = 3,
                            Precision precision = Precision::kFloat32, bool use_static = false,
                            bool use_calib_mode = true, bool use_cuda_graph = false) {
    (void)workspace_size;
    (void)max_batch_size;
    (void)use_static;
    (void)use_calib_mode;
    (void)use_cuda_graph;
    min_subgraph_size_ = min_subgraph_size < 1 ? 1 : min_subgraph_size;
    tensorrt_precision_ = precision;
    ask_for(kTensorRt, kTensorRtPlugin);
  }
  /// True if an engine runs parts of the model for it.
  bool tensorrt_engine_enabled() const { return is_on(kTensorRt); }
  Precision tensorrt_precision_mode() const { return tensorrt_precision_; }
  void SetTRTDynamicShapeInfo(const Shapes& min_input_shape, const Shapes& max_input_shape,
                              const Shapes& optim_input_shape, bool disable_trt_plugin_fp16 = false) {
    (void)disable_trt_plugin_fp16;
    tensorrt_dynamic_shape_ = !min_input_shape.empty();
    shape_ranges_.clear();
    for (const auto& item : min_input_shape) {
      const auto most = max_input_shape.find(item.first);
      const auto usual = optim_input_shape.find(item.first);
      const bool complete = most != max_input_shape.end() && usual != optim_input_shape.end();
      if (!complete || item.first.find(',') != std::string::npos) continue;
      // What is no input follows from those.
      shape_ranges_ += (shape_ranges_.empty() ? "" : ",") + item.first + "?=" + sizes(item.second) + ".." +
                       sizes(usual->second) + ".." + sizes(most->second);
    }
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
  }
  bool tuned_tensorrt_dynamic_shape() const { return tuned_dynamic_shape_; }
  bool trt_allow_build_at_runtime() const { return allow_build_at_runtime_; }

  /// No engine runs operators of these types, by Paddle's names, nor what they were fused into.
  void Exp_DisableTensorRtOPs(const std::vector<std::string>& ops) { keep_native('=', ops, "Exp_DisableTensorRtOPs"); }
  /// No engine runs what makes one of these variables.
  void Exp_DisableTensorRtSubgraph(const std::vector<std::string>& var_name_not_trt) {
    keep_native('%', var_name_not_trt, "Exp_DisableTensorRtSubgraph");
  }
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
  static constexpr const char* kTensorRt = "EnableTensorRtEngine";

  /// What engines are told: nothing unless the Config asks for any.
  void choose_engines(EngineOptions& options) const {
    options.engines = coracle_engines();
    if (options.engines.empty()) return;
    if (asks(kTensorRt)) options.min_ops = min_subgraph_size_;
    options.marks = native_marks_;
    const bool there = !engines_there().empty();
    if (there) options.shapes = shape_ranges_;
    if (there && tuned_dynamic_shape_ && !shape_range_info_path_.empty()) {
      options.shapes += (options.shapes.empty() ? "@" : ",@") + shape_range_info_path_;
    }
    const auto wants = [this](Precision precision) {
      return (asks(kTensorRt) && tensorrt_precision_ == precision) ||
             (asks("EnableOpenVINOEngine") && engine_precision_ == precision);
    };
    if (engines_there().find("cudnn") != std::string::npos && wants(Precision::kHalf)) options.precision = "fp16";
    if (there && wants(Precision::kBf16)) options.precision = "bf16";
    if (there && wants(Precision::kInt8)) options.precision = "int8";
  }
  static std::string sizes(const std::vector<int>& shape) {
    std::string out;
    for (const int size : shape) out += (out.empty() ? "" : "x") + std::to_string(size);
    return out;
  }
  void keep_native(char kind, const std::vector<std::string>& names, const char* call) {
    for (const std::string& name : names) {
      require(!name.empty() && name.find(',') == std::string::npos, call, " was given '", name,
              "', expected names without commas");
      native_marks_ += (native_marks_.empty() ? "native" : ",native") + (kind + name);
    }
  }

  Precision tensorrt_precision_ = Precision::kFloat32;
  int min_subgraph_size_ = 3;
  std::string native_marks_;  ///< as in coracle_model_options
  std::string shape_ranges_;  ///< likewise
  bool tensorrt_dynamic_shape_ = false;
  bool shape_range_info_collected_ = false;
  bool tuned_dynamic_shape_ = false;
  bool allow_build_at_runtime_ = false;
  int tensorrt_optimization_level_ = 3;
  std::string shape_range_info_path_;
};

}  // namespace detail
}  // namespace paddle
