// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "client/tensor.h"
#include "fuzz/run_model.h"
#include "support/graph_model.h"

/// Runs what the readers of clients' tensors give.
namespace coracle::internal::test {

/// A model of one operator that takes any tensor of that type and number of dimensions.
inline const std::shared_ptr<const Model>& model_for(coracle_dtype dtype, size_t rank) {
  static std::map<std::pair<coracle_dtype, size_t>, std::shared_ptr<const Model>> models;
  std::shared_ptr<const Model>& model = models[{dtype, rank}];
  if (model == nullptr) {
    std::string dims;
    for (size_t i = 0; i < rank; ++i) dims += i == 0 ? "?" : ", ?";
    model = model_of(text("graph (%x: ", coracle_dtype_name(dtype), "[", dims, "]) { %y = equal(%x, %x) return %y }"));
  }
  return model;
}

inline void run_with(const client::Tensor& tensor) {
  const std::shared_ptr<const Model>& model = model_for(tensor.dtype, tensor.dims.size());
  Shape shape;
  for (int64_t d : tensor.dims) shape.push_back(d);
  Session session(model, {.threads = 1, .memory_limit = kFuzzMemoryLimit, .time_limit_ms = kFuzzTimeLimitMs});
  session.copy_input(0, Tensor::borrow(model->info().inputs[0].dtype, shape, tensor.bytes.data()));
  session.run();
}

}  // namespace coracle::internal::test
