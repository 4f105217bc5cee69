// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "lite_config_base.h"

namespace paddle {
namespace lite_api {

/// For files that Paddle Lite's opt wrote, and for saved models (coracle_model_save, `coracle optimize`,
/// SaveOptimizedModel), which are known by what is in them and not by their names; also for models as they are
/// published.
class LITE_API MobileConfig : public ConfigBase {
 public:
  using ConfigBase::ConfigBase;

  void set_model_from_file(const std::string& x) {
    file_ = x;
    bytes_ = nullptr;
    params_ = nullptr;
  }
  /// The bytes are copied, unless they are moved here.
  void set_model_from_buffer(const std::string& x) { set_model_from_buffer(std::string(x)); }
  void set_model_from_buffer(std::string&& x) {
    bytes_ = std::make_shared<const std::string>(std::move(x));
    params_ = nullptr;
  }
  void set_model_from_buffer(const char* buffer, size_t length) {
    detail::require(buffer != nullptr, "set_model_from_buffer was given a null pointer");
    set_model_from_buffer(std::string(buffer, length));
  }
  /// The file's name; with set_model_from_buffer its bytes.
  const std::string& lite_model_file() const { return bytes_ != nullptr ? *bytes_ : file_; }
  const char* lite_model_buffer_ptr() const { return bytes_ != nullptr ? bytes_->data() : nullptr; }
  size_t lite_model_buffer_size() const { return bytes_ != nullptr ? bytes_->size() : 0; }
  bool is_model_from_memory() const { return bytes_ != nullptr; }
  bool model_from_memory() const { return is_model_from_memory(); }

  /// A program and its parameters; the bytes are copied.
  void set_model_buffer(const char* model_buffer, size_t model_buffer_size, const char* param_buffer,
                        size_t param_buffer_size) {
    detail::require(param_buffer != nullptr || param_buffer_size == 0, "set_model_buffer was given a null pointer");
    set_model_from_buffer(model_buffer, model_buffer_size);
    params_ = std::make_shared<const std::string>(param_buffer_size == 0 ? "" : param_buffer, param_buffer_size);
  }
  const std::string& model_buffer() const { return params_ != nullptr ? *bytes_ : no_bytes(); }
  const std::string& param_buffer() const { return params_ != nullptr ? *params_ : no_bytes(); }

  void set_precision_mode(PrecisionMode mode) {
    if (mode == LITE_PRECISION_LOW) record("set_precision_mode", "the model runs in its own precision");
    precision_mode_ = mode;
  }
  PrecisionMode precision_mode() const { return precision_mode_; }
  void SetArmL3CacheSize(L3CacheSetMethod /*method*/ = L3CacheSetMethod::kDeviceL3Cache, int /*absolute_val*/ = -1) {
    record("SetArmL3CacheSize", "kernels know the caches of this machine");
  }
  /// False: a model that computes in float32 does so everywhere.
  bool check_fp16_valid() const { return false; }

  /// What a predictor is made with; throws if no model is named.
  detail::LiteModelOptions model_options() const {
    detail::LiteModelOptions options = common_options();
    options.program_bytes = bytes_;
    if (bytes_ != nullptr) {
      options.params_bytes = params_;
      return options;
    }
    options.path = file_.empty() ? model_dir() : file_;
    detail::require(!options.path.empty(),
                    "the MobileConfig names no model: call set_model_from_file or set_model_from_buffer");
    return options;
  }

 private:
  static const std::string& no_bytes() {
    static const std::string none;
    return none;
  }

  std::string file_;
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<const std::string> params_;  ///< where set_model_buffer was called
  PrecisionMode precision_mode_ = LITE_PRECISION_NORMAL;
};

}  // namespace lite_api
}  // namespace paddle
