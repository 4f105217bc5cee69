// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../../paddle/detail/engine_options.h"
#include "../../paddle/detail/model_handle.h"

namespace paddle {
namespace detail {

/// What a Config of Paddle Lite asks of Coracle.
struct LiteModelOptions {
  std::string path;                                  ///< folder, program file or saved model
  std::string params;                                ///< parameter file, or empty
  std::shared_ptr<const std::string> program_bytes;  ///< instead of `path`
  std::shared_ptr<const std::string> params_bytes;
  int threads = 1;
  const char* cpus = nullptr;  ///< for coracle_bind_thread, by whoever runs it; null: threads stay where they may run
  std::string device;          ///< as in coracle_model_options
};

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A loaded model, immutable and shared by a predictor and its clones.
class LiteModel {
 public:
  explicit LiteModel(const LiteModelOptions& options) : options_(options) {
    coracle_model_options load;
    coracle_model_options_init(&load, sizeof(load));
    if (!options_.device.empty()) load.device = options_.device.c_str();
    coracle_model* model = nullptr;
    if (options_.program_bytes != nullptr) {
      const bool has_params = options_.params_bytes != nullptr && !options_.params_bytes->empty();
      // The library keeps views of the bytes, which options_ owns.
      check(coracle_model_load_memory(options_.program_bytes->data(), options_.program_bytes->size(),
                                      has_params ? options_.params_bytes->data() : nullptr,
                                      has_params ? options_.params_bytes->size() : 0, &load, &model));
    } else {
      check(coracle_model_load(options_.path.c_str(), options_.params.empty() ? nullptr : options_.params.c_str(),
                               &load, &model));
    }
    model_.reset(model);
    inputs = inputs_of(model);
    outputs = outputs_of(model);
  }

  const coracle_model* get() const { return model_.get(); }
  int threads() const { return options_.threads; }
  const char* cpus() const { return options_.cpus; }

  std::vector<InputOrOutput> inputs;
  std::vector<InputOrOutput> outputs;

 private:
  LiteModelOptions options_;
  ModelHandle model_;
};

}  // namespace detail
}  // namespace paddle
