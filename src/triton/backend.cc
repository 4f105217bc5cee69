// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "triton/failure.h"
#include "triton/instance.h"
#include "triton/model_state.h"

/// The functions that the server calls. It calls them from several threads, but for one instance from one at a time.

namespace {

using coracle::triton::BackendState;
using coracle::triton::check;
using coracle::triton::Failure;
using coracle::triton::guard;
using coracle::triton::Instance;
using coracle::triton::log_failure;
using coracle::triton::ModelState;

void log_message(void* /*user*/, coracle_log_level level, const char* message) {
  const TRITONSERVER_LogLevel kind = level == CORACLE_LOG_WARNING ? TRITONSERVER_LOG_WARN : TRITONSERVER_LOG_INFO;
  log_failure(TRITONSERVER_LogMessage(kind, "coracle", 0, message));
}

void check_version() {
  uint32_t major = 0;
  uint32_t minor = 0;
  check(TRITONBACKEND_ApiVersion(&major, &minor));
  using coracle::triton::kApiMajor;
  using coracle::triton::kApiMinor;
  const auto text = [](uint32_t a, uint32_t b) { return std::to_string(a) + "." + std::to_string(b); };
  if (major != kApiMajor || minor < kApiMinor)
    throw Failure(TRITONSERVER_ERROR_UNSUPPORTED,
                  "this Triton has version " + text(major, minor) + " of the interface to back ends, expected " +
                      text(kApiMajor, kApiMinor) + " or a later " + std::to_string(kApiMajor) + ".x");
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_Initialize(TRITONBACKEND_Backend* backend) {
  return guard([&] {
    check_version();
    TRITONSERVER_Message* message = nullptr;  // stays the server's
    check(TRITONBACKEND_BackendConfig(backend, &message));
    const char* json = nullptr;
    size_t bytes = 0;
    check(TRITONSERVER_MessageSerializeToJson(message, &json, &bytes));
    const std::string config(json, bytes);
    const auto threads =
        static_cast<int>(std::min<int64_t>(coracle::triton::backend_setting(config, "threads", 0), 1024));
    constexpr int64_t kRows = 4;  // Triton's own default
    auto state = std::make_unique<BackendState>(BackendState{
        coracle::Pool(threads), coracle::triton::backend_setting(config, "default-max-batch-size", kRows)});
    check(coracle_set_logger(CORACLE_LOG_WARNING, log_message, nullptr));
    check(TRITONBACKEND_BackendSetState(backend, state.get()));
    state.release();
  });
}

TRITONSERVER_Error* TRITONBACKEND_Finalize(TRITONBACKEND_Backend* backend) {
  return guard([&] {
    void* state = nullptr;
    check(TRITONBACKEND_BackendState(backend, &state));
    check(coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr));
    delete static_cast<BackendState*>(state);
  });
}

/// Without an instance group in the configuration there is an instance on the CPU, on machines with a GPU too.
TRITONSERVER_Error* TRITONBACKEND_GetBackendAttribute(TRITONBACKEND_Backend* /*backend*/,
                                                      TRITONBACKEND_BackendAttribute* attribute) {
  return TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(attribute, TRITONSERVER_INSTANCEGROUPKIND_CPU, 0,
                                                                 nullptr, 0);
}

TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return guard([&] {
    auto state = std::make_unique<ModelState>(coracle::triton::load_model(model));
    check(TRITONBACKEND_ModelSetState(model, state.get()));
    state.release();
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* model) {
  return guard([&] {
    void* state = nullptr;
    check(TRITONBACKEND_ModelState(model, &state));
    delete static_cast<ModelState*>(state);
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* instance) {
  return guard([&] {
    TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_CPU;
    check(TRITONBACKEND_ModelInstanceKind(instance, &kind));
    if (kind == TRITONSERVER_INSTANCEGROUPKIND_GPU)
      throw Failure(TRITONSERVER_ERROR_UNSUPPORTED,
                    "the instance group has kind KIND_GPU, expected KIND_CPU; a GPU is used by the parameter 'device'");
    TRITONBACKEND_Model* model = nullptr;
    check(TRITONBACKEND_ModelInstanceModel(instance, &model));
    void* model_state = nullptr;
    check(TRITONBACKEND_ModelState(model, &model_state));
    auto state = std::make_unique<Instance>(instance, *static_cast<const ModelState*>(model_state));
    check(TRITONBACKEND_ModelInstanceSetState(instance, state.get()));
    state.release();
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* instance) {
  return guard([&] {
    void* state = nullptr;
    check(TRITONBACKEND_ModelInstanceState(instance, &state));
    delete static_cast<Instance*>(state);
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* instance,
                                                       TRITONBACKEND_Request** requests, uint32_t count) {
  return guard([&] {
    void* state = nullptr;
    check(TRITONBACKEND_ModelInstanceState(instance, &state));
    static_cast<Instance*>(state)->execute({requests, requests + count});
  });
}
}
