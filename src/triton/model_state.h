// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coracle/coracle.hpp"
#include "triton/model_config.h"
#include "triton/triton_api.h"

namespace coracle::triton {

/// Of the back end: threads that the runs of all its models share.
struct BackendState {
  Pool pool;
  int64_t default_max_batch_size;  ///< for configurations that name no tensors
};

/// A model that the server has loaded, once for all its instances. Immutable.
struct ModelState {
  Model model;
  std::vector<TensorInfo> inputs, outputs;
  SessionOptions session;
  bool batched;  ///< the first dimension of each tensor is that of a batch
};

/// Loads the model and completes its configuration, if the server wants that. Throws a Failure or Exception.
ModelState load_model(TRITONBACKEND_Model* model);

/// The text of a message of the server's, which is freed.
std::string taken_text(TRITONSERVER_Message* message);

}  // namespace coracle::triton
