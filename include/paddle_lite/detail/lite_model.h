// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
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
  std::string device;  ///< as in coracle_model_options
};

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// True for what Paddle Lite's opt writes, by its first three bytes: a number of two bytes, 0 to 2, and the beginning
/// of the version as text. Files of parameters begin with more zeros.
inline bool is_naive_buffer(const std::string& head) {
  return head.size() == 3 && static_cast<unsigned char>(head[0]) <= 2 && head[1] == 0 && head[2] > ' ' && head[2] < 127;
}

/// Throws for what Paddle Lite's opt wrote, with what to do instead.
inline void refuse_naive_buffer(const std::string& head, const std::string& what) {
  require(
      !is_naive_buffer(head), what,
      " is a model that Paddle Lite's opt wrote (.nb), which is not read here: save the model that opt was given as "
      "a file that is, `coracle optimize MODEL_FOLDER -o model.coracle`, and use that, whatever its name is");
}

inline std::string first_bytes(const std::string& path) {
  char head[3] = {};
  return std::ifstream(path, std::ios::binary).read(head, sizeof(head)).good() ? std::string(head, sizeof(head)) : "";
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
      refuse_naive_buffer(options_.program_bytes->substr(0, 3), "the model in memory");
      const bool has_params = options_.params_bytes != nullptr && !options_.params_bytes->empty();
      // The library keeps views of the bytes, which options_ owns.
      check(coracle_model_load_memory(options_.program_bytes->data(), options_.program_bytes->size(),
                                      has_params ? options_.params_bytes->data() : nullptr,
                                      has_params ? options_.params_bytes->size() : 0, &load, &model));
    } else {
      refuse_naive_buffer(first_bytes(options_.path), "'" + options_.path + "'");
      check(coracle_model_load(options_.path.c_str(), options_.params.empty() ? nullptr : options_.params.c_str(),
                               &load, &model));
    }
    model_.reset(model);
    inputs = inputs_of(model);
    outputs = outputs_of(model);
  }

  const coracle_model* get() const { return model_.get(); }
  int threads() const { return options_.threads; }

  std::vector<InputOrOutput> inputs;
  std::vector<InputOrOutput> outputs;

 private:
  LiteModelOptions options_;
  ModelHandle model_;
};

}  // namespace detail
}  // namespace paddle
