// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "config_gpu.h"
#include "device_configs.h"

namespace paddle {
namespace detail {

/// The part of a Config that chooses devices. Beside GPUs there is the CPU only: asking for another is recorded and the
/// model runs on the CPU, as it does in a Paddle that was built without that device. What such a Paddle says is on, is
/// on here.
struct DeviceChoice : GpuChoice {
  using GpuChoice::GpuChoice;

  void EnableXpu(int l3_size = 0xfffc00, bool l3_locked = false, bool conv_autotune = false,
                 const std::string& conv_autotune_file = "", const std::string& transformer_encoder_precision = "int16",
                 bool transformer_encoder_adaptive_seqlen = false, bool enable_multi_stream = false) {
    (void)l3_locked;
    (void)conv_autotune;
    (void)transformer_encoder_precision;
    (void)enable_multi_stream;
    xpu_config_.l3_size = static_cast<size_t>(l3_size);
    xpu_config_.conv_autotune_file = conv_autotune_file;
    xpu_config_.transformer_encoder_adaptive_seqlen = transformer_encoder_adaptive_seqlen;
    record("EnableXpu", kCpu);
  }
  void SetXpuDeviceId(int device_id = 0) { xpu_config_.device_id = device_id; }
  void SetXpuConfig(const XpuConfig& config) {
    xpu_config_ = config;
    record("SetXpuConfig", kCpu);
  }
  XpuConfig xpu_config() { return xpu_config_; }
  bool use_xpu() const { return false; }
  int xpu_device_id() const { return xpu_config_.device_id; }

  enum class ipu_config_code {
    ipu_device_num,
    ipu_micro_batch_size,
    ipu_enable_pipelining,
    ipu_batches_per_step,
    ipu_enable_fp16,
    ipu_replica_num,
    ipu_available_memory_proportion,
    ipu_enable_half_partial,
    ipu_custom_ops_info,
    ipu_custom_patterns,
    ipu_enable_model_runtime_executor,
  };
  void EnableIpu(int ipu_device_num = 1, int ipu_micro_batch_size = 1, bool ipu_enable_pipelining = false,
                 int ipu_batches_per_step = 1) {
    (void)ipu_micro_batch_size;
    (void)ipu_enable_pipelining;
    (void)ipu_batches_per_step;
    ipu_device_num_ = ipu_device_num;
    record("EnableIpu", kCpu);
  }
  void SetIpuConfig(bool ipu_enable_fp16 = false, int ipu_replica_num = 1, float ipu_available_memory_proportion = 1.0,
                    bool ipu_enable_half_partial = false, bool ipu_enable_model_runtime_executor = false) {
    (void)ipu_enable_fp16;
    (void)ipu_replica_num;
    (void)ipu_available_memory_proportion;
    (void)ipu_enable_half_partial;
    (void)ipu_enable_model_runtime_executor;
    record("SetIpuConfig", kCpu);
  }
  void SetIpuCustomInfo(const std::vector<std::vector<std::string>>& ipu_custom_ops_info = {},
                        const std::map<std::string, bool>& ipu_custom_patterns = {}) {
    (void)ipu_custom_ops_info;
    (void)ipu_custom_patterns;
    record("SetIpuCustomInfo", kCpu);
  }
  void LoadIpuConfig(const std::string& config_path) {
    require(file_exists(config_path), "LoadIpuConfig: there is no file '", config_path, "'");
    record("LoadIpuConfig", kCpu);
  }
  bool use_ipu() const { return false; }
  int ipu_device_num() const { return ipu_device_num_; }

  void EnableNpu(int device_id = 0) {
    npu_device_id_ = device_id;
    record("EnableNpu", kCpu);
  }
  bool use_npu() const { return false; }
  int npu_device_id() const { return npu_device_id_; }

  void EnableCustomDevice(const std::string& device_type, int device_id = 0,
                          Precision precision_mode = Precision::kFloat32) {
    custom_device_type_ = device_type;
    custom_device_id_ = device_id;
    if (precision_mode != Precision::kFloat32) record("EnableCustomDevice(precision)", "runs in the model's precision");
    record("EnableCustomDevice", kCpu);
  }
  bool use_custom_device() const { return false; }
  int custom_device_id() const { return custom_device_id_; }
  std::string custom_device_type() const { return custom_device_type_; }
  bool enable_custom_device_mixed() const { return false; }

  /// A plug-in `onnxruntime` of Coracle, or what stands in.
  void EnableONNXRuntime() { ask_for("EnableONNXRuntime", "onnxruntime?"); }
  void DisableONNXRuntime() { take_back("EnableONNXRuntime"); }
  void EnableORTOptimization() { record("EnableORTOptimization", "engines optimise what they are given"); }
  bool use_onnxruntime() const { return is_on("EnableONNXRuntime"); }
  bool ort_optimization_enabled() const { return false; }
  /// OpenVINO runs what it takes of the model, where it is there.
  void EnableOpenVINOEngine(Precision inference_precision) {
    engine_precision_ = inference_precision;
    ask_for("EnableOpenVINOEngine", "openvino");
  }
  bool openvino_engine_enabled() const { return is_on("EnableOpenVINOEngine"); }

  void EnableLiteEngine(Precision precision_mode = Precision::kFloat32, bool zero_copy = false,
                        const std::vector<std::string>& passes_filter = {},
                        const std::vector<std::string>& ops_filter = {}) {
    (void)precision_mode;
    (void)zero_copy;
    (void)passes_filter;
    (void)ops_filter;
    record("EnableLiteEngine", kEngine);
  }
  bool lite_engine_enabled() const { return false; }
  LiteNNAdapterConfig& NNAdapter() { return nnadapter_config_; }
  void EnableDlnne(int min_subgraph_size = 3, int max_batch_size = 1, bool use_static_batch = false,
                   const std::string& weight_share_mode = "0",
                   const std::unordered_set<std::string>& disable_nodes_by_outputs = {},
                   const std::map<std::string, std::vector<int64_t>>& input_dict = {}, bool use_calib_mode = false,
                   Precision precision_mode = Precision::kFloat32) {
    (void)min_subgraph_size;
    (void)max_batch_size;
    (void)use_static_batch;
    (void)weight_share_mode;
    (void)disable_nodes_by_outputs;
    (void)input_dict;
    (void)use_calib_mode;
    (void)precision_mode;
    record("EnableDlnne", kEngine);
  }
  bool dlnne_enabled() const { return false; }
  void SetCalibrationFilePath(const std::string& calibration_file_path = "") {
    calibration_file_path_ = calibration_file_path;
    record("SetCalibrationFilePath", kEngine);
  }
  std::string CalibrationFilePath() { return calibration_file_path_; }

  void SetDistConfig(const DistConfig& dist_config) {
    require(!dist_config.use_dist_model(), "SetDistConfig: a model cannot be spread over several machines here");
    dist_config_ = dist_config;
  }
  const DistConfig& dist_config() const { return dist_config_; }

 protected:
  int npu_device_id_ = 0;
  int ipu_device_num_ = 1;
  int custom_device_id_ = 0;
  std::string custom_device_type_;
  XpuConfig xpu_config_;
  LiteNNAdapterConfig nnadapter_config_;
  DistConfig dist_config_;
  Precision engine_precision_ = Precision::kFloat32;  ///< of EnableOpenVINOEngine
  std::string calibration_file_path_;
};

}  // namespace detail
}  // namespace paddle
