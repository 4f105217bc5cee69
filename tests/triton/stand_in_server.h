// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "triton/triton_api.h"

/// A small server in this program, in place of Triton: stand_in_server.cc defines the functions of Triton that the back
/// end calls, on these objects. Each keeps what the back end told it.

struct TRITONSERVER_Error {
  TRITONSERVER_Error_Code code;
  std::string text;
};
struct TRITONSERVER_Message {
  std::string json;
};
struct TRITONBACKEND_Backend {
  std::string config = R"({"cmdline":{"default-max-batch-size":"4","threads":"1"}})";
  TRITONSERVER_Message message;
  void* state = nullptr;
};
struct TRITONBACKEND_BackendAttribute {
  std::vector<TRITONSERVER_InstanceGroupKind> kinds;
};
struct TRITONBACKEND_Model {
  TRITONBACKEND_Backend* backend = nullptr;
  std::string folder;  ///< of its versions
  std::string config;
  bool complete = true;
  int configs_set = 0;
  void* state = nullptr;
};
struct TRITONBACKEND_ModelInstance {
  TRITONBACKEND_Model* model = nullptr;
  TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_CPU;
  std::vector<uint64_t> batches;  ///< rows of each
  void* state = nullptr;
};
struct TRITONBACKEND_Input {
  TRITONSERVER_DataType type = TRITONSERVER_TYPE_FP32;
  std::vector<int64_t> dims;
  std::vector<std::string> buffers;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
};
struct TRITONBACKEND_Output {
  TRITONSERVER_DataType type = TRITONSERVER_TYPE_INVALID;
  std::vector<int64_t> dims;
  std::string bytes;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
};
struct TRITONBACKEND_Response {
  TRITONBACKEND_Request* request;
};
struct TRITONBACKEND_Request {
  std::map<std::string, TRITONBACKEND_Input> inputs;
  std::vector<std::string> wanted;  ///< outputs
  TRITONSERVER_MemoryType output_memory = TRITONSERVER_MEMORY_CPU;
  // What it was answered with.
  std::map<std::string, TRITONBACKEND_Output> outputs;
  std::string error;
  int responses = 0, releases = 0, successes = 0, failures = 0;
};

namespace coracle::triton::test {

/// What the next server says of its interface.
struct ApiVersion {
  uint32_t major = kApiMajor, minor = kApiMinor;
};
ApiVersion& api_version();
/// Objects of errors, messages and responses that nobody has freed yet.
int& unfreed();

/// The text of an error, which is freed; empty: there is none.
std::string text_of(TRITONSERVER_Error* error);

}  // namespace coracle::triton::test
