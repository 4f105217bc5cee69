// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../paddle/detail/call_record.h"
#include "../paddle_place.h"

namespace paddle {
namespace lite_api {

/// The part of a Config for chips that Paddle Lite has drivers for: OpenCL, NNAdapter, XPU and Metal. All of it is kept
/// and listed by recorded_calls(), and the model runs without it.
class LITE_API AcceleratorConfig : public detail::CallRecord {
 public:
  void set_opencl_binary_path_name(const std::string& /*path*/, const std::string& /*name*/) {
    record("set_opencl_binary_path_name", "kernels are Coracle's and have a cache of their own");
  }
  void set_opencl_tune(CLTuneMode tune_mode = CL_TUNE_NONE, const std::string& /*path*/ = "",
                       const std::string& /*name*/ = "", size_t /*lws_repeats*/ = 4) {
    if (tune_mode != CL_TUNE_NONE) record("set_opencl_tune", "kernels are not tuned");
  }
  void set_opencl_precision(CLPrecisionType p = CL_PRECISION_AUTO) {
    if (p == CL_PRECISION_FP16) record("set_opencl_precision", "the model runs in its own precision");
  }

  void set_subgraph_model_cache_dir(const std::string& folder) {
    record("set_subgraph_model_cache_dir", kNoNpu);
    subgraph_model_cache_dir_ = folder;
  }
  const std::string& subgraph_model_cache_dir() const { return subgraph_model_cache_dir_; }
  void set_subgraph_model_cache_buffers(const std::string& key, const std::vector<char>& cfg,
                                        const std::vector<char>& bin) {
    record("set_subgraph_model_cache_buffers", kNoNpu);
    subgraph_model_cache_buffers_[key] = {cfg, bin};
  }
  const std::map<std::string, std::pair<std::vector<char>, std::vector<char>>>& subgraph_model_cache_buffers() const {
    return subgraph_model_cache_buffers_;
  }

  /// There are none.
  bool check_nnadapter_device_name(const std::string& /*device_name*/) const { return false; }
  void set_nnadapter_device_names(const std::vector<std::string>& device_names) {
    record("set_nnadapter_device_names", kNoNpu);
    nnadapter_device_names_ = device_names;
  }
  const std::vector<std::string>& nnadapter_device_names() const { return nnadapter_device_names_; }
  void set_nnadapter_context_properties(const std::string& context_properties) {
    record("set_nnadapter_context_properties", kNoNpu);
    nnadapter_context_properties_ = context_properties;
  }
  const std::string& nnadapter_context_properties() const { return nnadapter_context_properties_; }
  void set_nnadapter_context_callback(int (*callback)(int event_id, void* user_data)) {
    record("set_nnadapter_context_callback", kNoNpu);
    nnadapter_context_callback_ = callback;
  }
  int (*nnadapter_context_callback() const)(int event_id, void* user_data) { return nnadapter_context_callback_; }
  void set_nnadapter_model_cache_dir(const std::string& folder) {
    record("set_nnadapter_model_cache_dir", kNoNpu);
    nnadapter_model_cache_dir_ = folder;
  }
  const std::string& nnadapter_model_cache_dir() const { return nnadapter_model_cache_dir_; }
  void set_nnadapter_dynamic_shape_info(const std::map<std::string, std::vector<std::vector<int64_t>>>& shapes) {
    record("set_nnadapter_dynamic_shape_info", kNoNpu);
    nnadapter_dynamic_shape_info_ = shapes;
  }
  const std::map<std::string, std::vector<std::vector<int64_t>>>& nnadapter_dynamic_shape_info() const {
    return nnadapter_dynamic_shape_info_;
  }
  void set_nnadapter_model_cache_buffers(const std::string& token, const std::vector<char>& buffer) {
    record("set_nnadapter_model_cache_buffers", kNoNpu);
    nnadapter_model_cache_buffers_[token] = buffer;
  }
  const std::map<std::string, std::vector<char>>& nnadapter_model_cache_buffers() const {
    return nnadapter_model_cache_buffers_;
  }
  void set_device_id(int device_id) {
    if (device_id != 0) record("set_device_id", "set_coracle_device names the device");
    device_id_ = device_id;
  }
  int get_device_id() const { return device_id_; }

  void set_xpu_workspace_l3_size_per_thread(int /*l3_size*/ = 0x4000000) { record_xpu(); }
  void set_xpu_l3_cache_method(size_t /*l3_size*/, bool /*locked*/ = false) { record_xpu(); }
  void set_xpu_l3_cache_autotune(bool /*autotune*/ = true) { record_xpu(); }
  void set_xpu_gm_workspace_method(size_t /*gm_size*/) { record_xpu(); }
  void set_xpu_conv_autotune(bool /*autotune*/ = true, const std::string& /*autotune_file*/ = "") { record_xpu(); }
  void set_xpu_dev_per_thread(int /*dev_no*/ = 0) { record_xpu(); }
  void enable_xpu_multi_stream() { record_xpu(); }
  void set_xpu_multi_encoder_precision(const std::string& /*precision*/ = "int16") { record_xpu(); }
  void set_xpu_multi_encoder_method(const std::string& /*precision*/ = "int16", bool /*adaptive_seqlen*/ = false) {
    record_xpu();
  }
  void set_xpu_cluster_num(int /*num*/) { record_xpu(); }
  void set_xpu_sdnn_num(int /*num*/) { record_xpu(); }
  void set_xpu_local_quant(bool /*local_quant*/ = false) { record_xpu(); }
  void set_xpu_compute_precision(const std::string& /*precision*/ = "int16") { record_xpu(); }
  void set_xpu_dump_tensor_path(const std::string& /*path*/ = "") { record_xpu(); }
  void set_xpu_dump_log_path(const std::string& /*path*/ = "") { record_xpu(); }

  void set_metal_lib_path(const std::string& path) {
    record_metal();
    metal_path_ = path;
  }
  void set_metal_use_mps(bool flag) {
    record_metal();
    metal_use_mps_ = flag;
  }
  void set_metal_use_aggressive(bool flag) {
    record_metal();
    metal_use_aggressive_ = flag;
  }
  void set_metal_device(void* device) {
    record_metal();
    metal_device_ = device;
  }
  void set_metal_use_memory_reuse(bool flag) {
    record_metal();
    metal_use_memory_reuse_ = flag;
  }
  std::string metal_lib_path() const { return metal_path_; }
  bool metal_use_mps() const { return metal_use_mps_; }
  bool metal_use_aggressive() const { return metal_use_aggressive_; }
  void* metal_device() const { return metal_device_; }
  bool metal_use_memory_reuse() const { return metal_use_memory_reuse_; }

 protected:
  static constexpr const char* kNoNpu = "there is no NNAdapter, and no NPU is used";

 private:
  void record_xpu() { record("set_xpu_...", "there is no XPU"); }
  void record_metal() { record("set_metal_...", "there is no Metal"); }

  std::string subgraph_model_cache_dir_;
  std::map<std::string, std::pair<std::vector<char>, std::vector<char>>> subgraph_model_cache_buffers_;
  std::vector<std::string> nnadapter_device_names_;
  std::string nnadapter_context_properties_;
  int (*nnadapter_context_callback_)(int event_id, void* user_data) = nullptr;
  std::string nnadapter_model_cache_dir_;
  std::map<std::string, std::vector<std::vector<int64_t>>> nnadapter_dynamic_shape_info_;
  std::map<std::string, std::vector<char>> nnadapter_model_cache_buffers_;
  int device_id_ = 0;
  std::string metal_path_;
  bool metal_use_mps_ = false;
  bool metal_use_aggressive_ = false;
  void* metal_device_ = nullptr;
  bool metal_use_memory_reuse_ = false;
};

}  // namespace lite_api
}  // namespace paddle
