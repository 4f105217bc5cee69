// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/paddle_models.h"
#include "paddle_lite/paddle_api.h"

/// Paddle Lite's interface on the small models of Paddle's. That both interfaces are in one unit is a part of the test.
namespace coracle::internal::test {

namespace lite = paddle::lite_api;
using LitePredictor = std::shared_ptr<lite::PaddlePredictor>;

inline lite::CxxConfig cxx_config(const ModelOnDisk& model) {
  lite::CxxConfig config;
  config.set_model_file(model.program);
  config.set_param_file(model.params);
  return config;
}

inline LitePredictor lite_predictor(const ModelOnDisk& model) { return lite::CreatePaddlePredictor(cxx_config(model)); }

inline lite::MobileConfig mobile_config(const std::string& file) {
  lite::MobileConfig config;
  config.set_model_from_file(file);
  return config;
}

template <class T>
void fill(lite::Tensor& input, const std::vector<int64_t>& shape, const std::vector<T>& values) {
  input.Resize(shape);
  std::copy(values.begin(), values.end(), input.mutable_data<T>());
}

template <class T>
std::vector<T> elements(const lite::Tensor& tensor) {
  size_t count = 1;
  for (int64_t d : tensor.shape()) count *= static_cast<size_t>(d);
  return {tensor.data<T>(), tensor.data<T>() + count};
}

/// What the model of product_model() gives for one row.
inline std::vector<float> product_of(lite::PaddlePredictor& predictor, const std::vector<float>& row) {
  fill<float>(*predictor.GetInput(0), {1, 2}, row);
  predictor.Run();
  return elements<float>(*predictor.GetOutput(1));
}

}  // namespace coracle::internal::test
