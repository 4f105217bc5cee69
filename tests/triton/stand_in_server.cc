// SPDX-License-Identifier: Apache-2.0
#include "triton/stand_in_server.h"

namespace coracle::triton::test {

ApiVersion& api_version() {
  static ApiVersion version;
  return version;
}

int& unfreed() {
  static int count = 0;
  return count;
}

std::string text_of(TRITONSERVER_Error* error) {
  if (error == nullptr) return {};
  std::string text = error->text;
  TRITONSERVER_ErrorDelete(error);
  return text;
}

}  // namespace coracle::triton::test

using coracle::triton::test::unfreed;

extern "C" {

TRITONSERVER_Error* TRITONSERVER_ErrorNew(TRITONSERVER_Error_Code code, const char* text) {
  ++unfreed();
  return new TRITONSERVER_Error{code, text};
}
void TRITONSERVER_ErrorDelete(TRITONSERVER_Error* error) {
  --unfreed();
  delete error;
}
TRITONSERVER_Error_Code TRITONSERVER_ErrorCode(TRITONSERVER_Error* error) { return error->code; }
const char* TRITONSERVER_ErrorMessage(TRITONSERVER_Error* error) { return error->text.c_str(); }
TRITONSERVER_Error* TRITONSERVER_LogMessage(TRITONSERVER_LogLevel, const char*, int, const char*) { return nullptr; }
TRITONSERVER_Error* TRITONSERVER_MessageNewFromSerializedJson(TRITONSERVER_Message** made, const char* json,
                                                              size_t bytes) {
  ++unfreed();
  *made = new TRITONSERVER_Message{std::string(json, bytes)};
  return nullptr;
}
TRITONSERVER_Error* TRITONSERVER_MessageSerializeToJson(TRITONSERVER_Message* message, const char** json,
                                                        size_t* bytes) {
  *json = message->json.data();
  *bytes = message->json.size();
  return nullptr;
}
TRITONSERVER_Error* TRITONSERVER_MessageDelete(TRITONSERVER_Message* message) {
  --unfreed();
  delete message;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ApiVersion(uint32_t* major, uint32_t* minor) {
  *major = coracle::triton::test::api_version().major;
  *minor = coracle::triton::test::api_version().minor;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_BackendConfig(TRITONBACKEND_Backend* backend, TRITONSERVER_Message** config) {
  backend->message.json = backend->config;
  *config = &backend->message;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_BackendState(TRITONBACKEND_Backend* backend, void** state) {
  *state = backend->state;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_BackendSetState(TRITONBACKEND_Backend* backend, void* state) {
  backend->state = state;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(TRITONBACKEND_BackendAttribute* attribute,
                                                                            TRITONSERVER_InstanceGroupKind kind,
                                                                            uint64_t, const uint64_t*, uint64_t) {
  attribute->kinds.push_back(kind);
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelVersion(TRITONBACKEND_Model*, uint64_t* version) {
  *version = 3;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelRepository(TRITONBACKEND_Model* model, TRITONBACKEND_ArtifactType* kind,
                                                  const char** place) {
  *kind = TRITONBACKEND_ARTIFACT_FILESYSTEM;
  *place = model->folder.c_str();
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelConfig(TRITONBACKEND_Model* model, uint32_t, TRITONSERVER_Message** config) {
  return TRITONSERVER_MessageNewFromSerializedJson(config, model->config.data(), model->config.size());
}
TRITONSERVER_Error* TRITONBACKEND_ModelAutoCompleteConfig(TRITONBACKEND_Model* model, bool* wanted) {
  *wanted = model->complete;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelSetConfig(TRITONBACKEND_Model* model, uint32_t, TRITONSERVER_Message* config) {
  model->config = config->json;
  ++model->configs_set;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelBackend(TRITONBACKEND_Model* model, TRITONBACKEND_Backend** backend) {
  *backend = model->backend;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelState(TRITONBACKEND_Model* model, void** state) {
  *state = model->state;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelSetState(TRITONBACKEND_Model* model, void* state) {
  model->state = state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceKind(TRITONBACKEND_ModelInstance* instance,
                                                    TRITONSERVER_InstanceGroupKind* kind) {
  *kind = instance->kind;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelInstanceModel(TRITONBACKEND_ModelInstance* instance,
                                                     TRITONBACKEND_Model** model) {
  *model = instance->model;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelInstanceState(TRITONBACKEND_ModelInstance* instance, void** state) {
  *state = instance->state;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSetState(TRITONBACKEND_ModelInstance* instance, void* state) {
  instance->state = state;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportStatistics(TRITONBACKEND_ModelInstance*,
                                                                TRITONBACKEND_Request* request, bool success,
                                                                uint64_t begin_ns, uint64_t compute_begin_ns,
                                                                uint64_t compute_end_ns, uint64_t end_ns) {
  ++(success ? request->successes : request->failures);
  const bool ordered = 0 < begin_ns && begin_ns <= compute_begin_ns && compute_begin_ns <= compute_end_ns;
  if (!success || (ordered && compute_end_ns <= end_ns)) return nullptr;
  return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INVALID_ARG, "times of a run are not in order");
}
TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportBatchStatistics(TRITONBACKEND_ModelInstance* instance,
                                                                     uint64_t rows, uint64_t, uint64_t, uint64_t,
                                                                     uint64_t) {
  instance->batches.push_back(rows);
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestInput(TRITONBACKEND_Request* request, const char* name,
                                               TRITONBACKEND_Input** input) {
  const auto found = request->inputs.find(name);
  if (found == request->inputs.end())
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_NOT_FOUND, (std::string("no input ") + name).c_str());
  *input = &found->second;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_RequestOutputCount(TRITONBACKEND_Request* request, uint32_t* count) {
  *count = static_cast<uint32_t>(request->wanted.size());
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_RequestOutputName(TRITONBACKEND_Request* request, uint32_t index, const char** name) {
  *name = request->wanted[index].c_str();
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_RequestRelease(TRITONBACKEND_Request* request, uint32_t) {
  ++request->releases;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_InputProperties(TRITONBACKEND_Input* input, const char**, TRITONSERVER_DataType* type,
                                                  const int64_t** dims, uint32_t* rank, uint64_t*,
                                                  uint32_t* buffer_count) {
  if (type != nullptr) *type = input->type;
  if (dims != nullptr) *dims = input->dims.data();
  if (rank != nullptr) *rank = static_cast<uint32_t>(input->dims.size());
  if (buffer_count != nullptr) *buffer_count = static_cast<uint32_t>(input->buffers.size());
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_InputBuffer(TRITONBACKEND_Input* input, uint32_t index, const void** data,
                                              uint64_t* bytes, TRITONSERVER_MemoryType* memory, int64_t*) {
  *data = input->buffers[index].data();
  *bytes = input->buffers[index].size();
  *memory = input->memory;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ResponseNew(TRITONBACKEND_Response** response, TRITONBACKEND_Request* request) {
  ++unfreed();
  *response = new TRITONBACKEND_Response{request};
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ResponseOutput(TRITONBACKEND_Response* response, TRITONBACKEND_Output** output,
                                                 const char* name, TRITONSERVER_DataType type, const int64_t* dims,
                                                 uint32_t rank) {
  *output = &response->request->outputs[name];
  **output = {type, {dims, dims + rank}, {}, response->request->output_memory};
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_OutputBuffer(TRITONBACKEND_Output* output, void** data, uint64_t bytes,
                                               TRITONSERVER_MemoryType* memory, int64_t*) {
  output->bytes.resize(bytes);
  *data = output->bytes.data();
  *memory = output->memory;
  return nullptr;
}
TRITONSERVER_Error* TRITONBACKEND_ResponseSend(TRITONBACKEND_Response* response, uint32_t, TRITONSERVER_Error* error) {
  ++response->request->responses;
  if (error != nullptr) response->request->error = error->text;
  --unfreed();
  delete response;
  return nullptr;
}
}
