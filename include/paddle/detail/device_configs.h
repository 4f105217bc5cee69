// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Settings of devices and engines that do not exist here, for programs that fill them in.
namespace paddle {

struct XpuConfig {
  int device_id = 0;
  size_t l3_size = 0;
  void* l3_ptr = nullptr;
  size_t l3_autotune_size = 0;
  int context_gm_size = -1;
  void* context = nullptr;
  void* stream = nullptr;
  int conv_autotune_level = 0;
  std::string conv_autotune_file;
  bool conv_autotune_file_writeback = false;
  int fc_autotune_level = 0;
  std::string fc_autotune_file;
  bool fc_autotune_file_writeback = false;
  int gemm_compute_precision = 1;
  int transformer_softmax_optimize_level = 0;
  bool transformer_encoder_adaptive_seqlen = true;
  float quant_post_static_gelu_out_threshold = 10.F;
  int quant_post_dynamic_activation_method = 0;
  int quant_post_dynamic_weight_precision = 1;
  std::vector<std::string> quant_post_dynamic_op_types;
  std::map<std::string, int> quant_post_dynamic_weight_methods;
};

struct DistConfig {
  bool use_dist_model() const { return use_dist_model_; }
  void EnableDistModel(bool use_dist_model) { use_dist_model_ = use_dist_model; }
  std::vector<std::string> trainer_endpoints() const { return trainer_endpoints_; }
  std::string current_endpoint() const { return current_endpoint_; }
  void SetEndpoints(const std::vector<std::string>& trainer_endpoints, const std::string& current_endpoint) {
    trainer_endpoints_ = trainer_endpoints;
    current_endpoint_ = current_endpoint;
  }
  int64_t nranks() const { return nranks_; }
  int64_t rank() const { return rank_; }
  void SetRanks(int64_t nranks, int64_t rank) {
    nranks_ = nranks;
    rank_ = rank;
  }
  std::string comm_init_config() const { return comm_init_config_; }
  void SetCommInitConfig(const std::string& comm_init_config) { comm_init_config_ = comm_init_config; }
  std::string carrier_id() const { return carrier_id_; }
  void SetCarrierId(const std::string& carrier_id) { carrier_id_ = carrier_id; }

 private:
  bool use_dist_model_ = false;
  std::vector<std::string> trainer_endpoints_;
  std::string current_endpoint_;
  int64_t nranks_ = 1;
  int64_t rank_ = 0;
  std::string comm_init_config_;
  std::string carrier_id_ = "inference";
};

struct LiteNNAdapterConfig {
  bool use_nnadapter = false;
  std::string nnadapter_model_cache_dir;
  std::map<std::string, std::vector<char>> nnadapter_model_cache_buffers;
  std::vector<std::string> nnadapter_device_names;
  std::string nnadapter_context_properties;
  std::string nnadapter_subgraph_partition_config_path;
  std::string nnadapter_subgraph_partition_config_buffer;

  LiteNNAdapterConfig& SetDeviceNames(const std::vector<std::string>& names) {
    nnadapter_device_names = names;
    return *this;
  }
  LiteNNAdapterConfig& SetContextProperties(const std::string& properties) {
    nnadapter_context_properties = properties;
    return *this;
  }
  LiteNNAdapterConfig& SetModelCacheDir(const std::string& dir) {
    nnadapter_model_cache_dir = dir;
    return *this;
  }
  LiteNNAdapterConfig& SetModelCacheBuffers(const std::string& model_cache_token,
                                            const std::vector<char>& model_cache_buffer) {
    nnadapter_model_cache_buffers[model_cache_token] = model_cache_buffer;
    return *this;
  }
  LiteNNAdapterConfig& SetSubgraphPartitionConfigPath(const std::string& path) {
    nnadapter_subgraph_partition_config_path = path;
    return *this;
  }
  LiteNNAdapterConfig& SetSubgraphPartitionConfigBuffer(const std::string& buffer) {
    nnadapter_subgraph_partition_config_buffer = buffer;
    return *this;
  }
  LiteNNAdapterConfig& Enable() {
    use_nnadapter = true;
    return *this;
  }
  LiteNNAdapterConfig& Disable() {
    use_nnadapter = false;
    return *this;
  }
};

}  // namespace paddle
