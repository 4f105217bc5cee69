// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lite_config_base.h"
#include "lite_tensor.h"

namespace paddle {
namespace lite_api {

/// A program and its parameters in memory.
class LITE_API CxxModelBuffer {
 public:
  CxxModelBuffer() = default;
  CxxModelBuffer(const char* program_buffer, size_t program_buffer_size, const char* params_buffer,
                 size_t params_buffer_size)
      : program_(program_buffer, program_buffer_size),
        params_(params_buffer_size == 0 ? "" : params_buffer, params_buffer_size) {}
  CxxModelBuffer(std::string&& program_buffer, std::string&& params_buffer)
      : program_(std::move(program_buffer)), params_(std::move(params_buffer)) {}
  CxxModelBuffer(const CxxModelBuffer&) = delete;
  CxxModelBuffer& operator=(const CxxModelBuffer&) = delete;

  const std::string& get_program() const { return program_; }
  const std::string& get_params() const { return params_; }
  bool is_empty() const { return program_.empty(); }

 private:
  std::string program_;
  std::string params_;
};

/// For models as they are published: a folder, a program and a parameter file, or their bytes. Also for saved models.
class LITE_API CxxConfig : public ConfigBase {
 public:
  using ConfigBase::ConfigBase;

  void set_model_file(const std::string& path) { model_file_ = path; }
  void set_param_file(const std::string& path) { param_file_ = path; }
  std::string model_file() const { return model_file_; }
  std::string param_file() const { return param_file_; }

  /// The bytes are copied.
  void set_model_buffer(const char* model_buffer, size_t model_buffer_size, const char* param_buffer,
                        size_t param_buffer_size) {
    detail::require(model_buffer != nullptr && (param_buffer != nullptr || param_buffer_size == 0),
                    "set_model_buffer was given a null pointer");
    model_buffer_ = std::make_shared<CxxModelBuffer>(model_buffer, model_buffer_size, param_buffer, param_buffer_size);
  }
  void set_model_buffer(std::shared_ptr<CxxModelBuffer> model_buffer) { model_buffer_ = std::move(model_buffer); }
  const CxxModelBuffer& get_model_buffer() const {
    detail::require(model_buffer_ != nullptr, "get_model_buffer: there is none, call set_model_buffer before");
    return *model_buffer_;
  }
  bool is_model_from_memory() const { return model_buffer_ != nullptr; }
  bool model_from_memory() const { return is_model_from_memory(); }

  void set_valid_places(const std::vector<Place>& x) {
    record("set_valid_places", "kernels are those for this machine; set_coracle_device names a device");
    valid_places_ = x;
  }
  const std::vector<Place>& valid_places() const { return valid_places_; }
  void set_passes_internal(const std::vector<std::string>& passes_internal = {}) {
    if (!passes_internal.empty()) record("set_passes_internal", "Coracle's own passes run");
    passes_internal_ = passes_internal;
  }
  const std::vector<std::string>& get_passes_internal() const { return passes_internal_; }

  template <class T>
  void set_preferred_inputs_for_warmup(int /*group_idx*/, int /*tensor_idx*/, const shape_t& /*shape*/,
                                       const lod_t& /*lod*/ = {}, T /*fill_value*/ = 0,
                                       const void* /*data*/ = nullptr) {
    record("set_preferred_inputs_for_warmup", "the first run of a shape plans it");
  }

  void set_quant_model(bool quant_model) {
    if (quant_model)
      record("set_quant_model", "the model runs in its own precision; `coracle quantize` makes it smaller");
    quant_model_ = quant_model;
  }
  bool quant_model() const { return quant_model_; }
  void set_quant_type(QuantType quant_type) { quant_type_ = quant_type; }
  QuantType quant_type() const { return quant_type_; }
  void set_sparse_model(bool sparse_model) {
    if (sparse_model) record("set_sparse_model", "weights are dense");
    sparse_model_ = sparse_model;
  }
  bool sparse_model() const { return sparse_model_; }
  void set_sparse_threshold(float sparse_threshold) { sparse_threshold_ = sparse_threshold; }
  float sparse_threshold() const { return sparse_threshold_; }

  void set_nnadapter_subgraph_partition_config_path(const std::string& path) {
    record("set_nnadapter_subgraph_partition_config_path", kNoNpu);
    partition_path_ = path;
  }
  const std::string& nnadapter_subgraph_partition_config_path() const { return partition_path_; }
  void set_nnadapter_subgraph_partition_config_buffer(const std::string& buffer) {
    record("set_nnadapter_subgraph_partition_config_buffer", kNoNpu);
    partition_buffer_ = buffer;
  }
  const std::string& nnadapter_subgraph_partition_config_buffer() const { return partition_buffer_; }
  void set_nnadapter_mixed_precision_quantization_config_path(const std::string& path) {
    record("set_nnadapter_mixed_precision_quantization_config_path", kNoNpu);
    precision_path_ = path;
  }
  const std::string& nnadapter_mixed_precision_quantization_config_path() const { return precision_path_; }
  void set_nnadapter_mixed_precision_quantization_config_buffer(const std::string& buffer) {
    record("set_nnadapter_mixed_precision_quantization_config_buffer", kNoNpu);
    precision_buffer_ = buffer;
  }
  const std::string& nnadapter_mixed_precision_quantization_config_buffer() const { return precision_buffer_; }

  /// What a predictor is made with; throws if no model is named.
  detail::LiteModelOptions model_options() const {
    detail::LiteModelOptions options = common_options();
    if (model_buffer_ != nullptr) {  // the options keep the buffer by way of its strings
      options.program_bytes = std::shared_ptr<const std::string>(model_buffer_, &model_buffer_->get_program());
      options.params_bytes = std::shared_ptr<const std::string>(model_buffer_, &model_buffer_->get_params());
      return options;
    }
    detail::require(!model_file_.empty() || !model_dir().empty(),
                    "the CxxConfig names no model: call set_model_dir, or ", "set_model_file and set_param_file");
    options.path = model_file_.empty() ? model_dir() : model_file_;
    if (!model_file_.empty()) options.params = param_file_;
    return options;
  }

 private:
  std::string model_file_;
  std::string param_file_;
  std::shared_ptr<CxxModelBuffer> model_buffer_;
  std::vector<Place> valid_places_;
  std::vector<std::string> passes_internal_;
  bool quant_model_ = false;
  QuantType quant_type_ = QuantType::QUANT_INT16;
  bool sparse_model_ = false;
  float sparse_threshold_ = 0.6F;
  std::string partition_path_;
  std::string partition_buffer_;
  std::string precision_path_;
  std::string precision_buffer_;
};

}  // namespace lite_api
}  // namespace paddle
