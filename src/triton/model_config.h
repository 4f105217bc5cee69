// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "coracle/coracle.hpp"

/// Triton's configuration of a model, as JSON.
namespace coracle::triton {

/// What `parameters` of a configuration say.
struct Parameters {
  ModelOptions model;
  SessionOptions session;
};

class ModelConfig {
 public:
  /// Throws a Failure for what is no JSON object.
  explicit ModelConfig(const std::string& json);

  /// Throws a Failure that names a parameter that there is not, or whose value is wrong.
  Parameters parameters() const;
  int64_t max_batch_size() const;
  /// A name in the folder of the version; empty: the folder itself.
  std::string file_name() const;

  /// Adds what is not said: inputs and outputs, and where no tensor is named at all, a batch of `batch` rows at most if
  /// the first dimension of every tensor is free. True where something was added. Throws a Failure where the model does
  /// not say enough.
  bool complete(const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& outputs, int64_t batch);
  /// Throws a Failure that says how the configuration contradicts the model.
  void check(const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& outputs) const;

  std::string text() const;

 private:
  bool complete(const char* kind, const std::vector<TensorInfo>& tensors);

  internal::JsonDocument json_;
};

/// The setting NAME of `--backend-config=coracle,NAME=VALUE`, as a number of at least 0; `otherwise` where it is not
/// given.
int64_t backend_setting(const std::string& json, const char* name, int64_t otherwise);

}  // namespace coracle::triton
