// SPDX-License-Identifier: Apache-2.0
#include "triton/model_state.h"

#include <utility>

#include "triton/failure.h"

namespace coracle::triton {
namespace {

std::string model_path(TRITONBACKEND_Model* model, const std::string& file) {
  TRITONBACKEND_ArtifactType kind = TRITONBACKEND_ARTIFACT_FILESYSTEM;
  const char* place = nullptr;
  check(TRITONBACKEND_ModelRepository(model, &kind, &place));
  if (kind != TRITONBACKEND_ARTIFACT_FILESYSTEM)
    throw Failure(TRITONSERVER_ERROR_UNSUPPORTED, "the model is not in a folder of this machine, where it has to be");
  uint64_t version = 0;
  check(TRITONBACKEND_ModelVersion(model, &version));
  return std::string(place) + "/" + std::to_string(version) + (file.empty() ? "" : "/" + file);
}

ModelConfig config_of(TRITONBACKEND_Model* model) {
  TRITONSERVER_Message* message = nullptr;
  check(TRITONBACKEND_ModelConfig(model, kConfigVersion, &message));
  return ModelConfig(taken_text(message));
}

void set_config(TRITONBACKEND_Model* model, const std::string& json) {
  TRITONSERVER_Message* message = nullptr;
  check(TRITONSERVER_MessageNewFromSerializedJson(&message, json.data(), json.size()));
  TRITONSERVER_Error* error = TRITONBACKEND_ModelSetConfig(model, kConfigVersion, message);
  log_failure(TRITONSERVER_MessageDelete(message));
  check(error);
}

const BackendState& backend_of(TRITONBACKEND_Model* model) {
  TRITONBACKEND_Backend* backend = nullptr;
  check(TRITONBACKEND_ModelBackend(model, &backend));
  void* state = nullptr;
  check(TRITONBACKEND_BackendState(backend, &state));
  return *static_cast<const BackendState*>(state);
}

}  // namespace

std::string taken_text(TRITONSERVER_Message* message) {
  const char* json = nullptr;
  size_t bytes = 0;
  TRITONSERVER_Error* error = TRITONSERVER_MessageSerializeToJson(message, &json, &bytes);
  const std::string text = error == nullptr ? std::string(json, bytes) : std::string();
  log_failure(TRITONSERVER_MessageDelete(message));
  check(error);
  return text;
}

ModelState load_model(TRITONBACKEND_Model* model) {
  ModelConfig config = config_of(model);
  Parameters parameters = config.parameters();
  const BackendState& backend = backend_of(model);
  parameters.session.pool = backend.pool;
  Model loaded(model_path(model, config.file_name()), {}, parameters.model);
  std::vector<TensorInfo> inputs = loaded.inputs();
  std::vector<TensorInfo> outputs = loaded.outputs();
  bool wanted = false;
  check(TRITONBACKEND_ModelAutoCompleteConfig(model, &wanted));
  if (wanted && config.complete(inputs, outputs, backend.default_max_batch_size)) {
    set_config(model, config.text());
    config = config_of(model);
  }
  config.check(inputs, outputs);
  return {std::move(loaded), std::move(inputs), std::move(outputs), std::move(parameters.session),
          config.max_batch_size() > 0};
}

}  // namespace coracle::triton
