// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/dtype.h"

/// The functions of OpenVINO's C interface (libopenvino_c) that the engine needs, of all versions since 2025.0.
namespace coracle::internal::openvino {

struct Core;
struct Model;
struct CompiledModel;
struct InferRequest;
struct OvTensor;
struct OvPort;

/// ov_shape_t and ov_version_t.
struct OvShape {
  int64_t rank;
  int64_t* dims;
};
struct OvVersion {
  const char* build;
  const char* description;
};

// Each function as (our name, the library's name, parameters). All of them give a status, 0 for success.
#define CORACLE_OPENVINO_FUNCTIONS(X)                                                                                \
  X(get_version, ov_get_openvino_version, (OvVersion*))                                                              \
  X(core_create, ov_core_create, (Core**))                                                                           \
  X(core_get_property, ov_core_get_property, (const Core*, const char*, const char*, char**))                        \
  X(read_model, ov_core_read_model_from_memory_buffer, (const Core*, const char*, size_t, const OvTensor*, Model**)) \
  X(compile_model, ov_core_compile_model, (const Core*, const Model*, const char*, size_t, CompiledModel**, ...))    \
  X(export_model, ov_compiled_model_export_model, (const CompiledModel*, const char*))                               \
  X(import_model, ov_core_import_model, (const Core*, const char*, size_t, const char*, CompiledModel**))            \
  X(core_set_property, ov_core_set_property, (const Core*, const char*, ...))                                        \
  X(output_by_name, ov_compiled_model_output_by_name, (const CompiledModel*, const char*, OvPort**))                 \
  X(port_shape, ov_const_port_get_shape, (const OvPort*, OvShape*))                                                  \
  X(shape_free, ov_shape_free, (OvShape*))                                                                           \
  X(create_infer_request, ov_compiled_model_create_infer_request, (const CompiledModel*, InferRequest**))            \
  X(set_tensor, ov_infer_request_set_tensor, (InferRequest*, const char*, const OvTensor*))                          \
  X(get_tensor, ov_infer_request_get_tensor, (const InferRequest*, const char*, OvTensor**))                         \
  X(tensor_shape, ov_tensor_get_shape, (const OvTensor*, OvShape*))                                                  \
  X(tensor_data, ov_tensor_data, (const OvTensor*, void**))                                                          \
  X(infer, ov_infer_request_infer, (InferRequest*))                                                                  \
  X(tensor_from_host, ov_tensor_create_from_host_ptr, (int, OvShape, void*, OvTensor**))                             \
  X(tensor_bytes, ov_tensor_get_byte_size, (const OvTensor*, size_t*))

// Those that give nothing.
#define CORACLE_OPENVINO_FREES(X)                          \
  X(version_free, ov_version_free, OvVersion*)             \
  X(text_free, ov_free, const char*)                       \
  X(model_free, ov_model_free, Model*)                     \
  X(compiled_free, ov_compiled_model_free, CompiledModel*) \
  X(port_free, ov_output_const_port_free, OvPort*)         \
  X(request_free, ov_infer_request_free, InferRequest*)    \
  X(tensor_free, ov_tensor_free, OvTensor*)

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none, nor have parameters
#define CORACLE_OPENVINO_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr;
  CORACLE_OPENVINO_FUNCTIONS(CORACLE_OPENVINO_MEMBER)
#undef CORACLE_OPENVINO_MEMBER
// NOLINTNEXTLINE(bugprone-macro-parentheses): as above
#define CORACLE_OPENVINO_MEMBER(name, symbol, parameter) void (*name)(parameter) = nullptr;
  CORACLE_OPENVINO_FREES(CORACLE_OPENVINO_MEMBER)
#undef CORACLE_OPENVINO_MEMBER
  // A version may be without these.
  const char* (*last_error)() = nullptr;
  const char* (*name_of_status)(int) = nullptr;

  const Core* core = nullptr;
  int float32 = 0;  ///< the number of the element type: versions differ in what stands before it
  std::string version;
  std::string file;  ///< the library

  /// The number of an element type of ours; 0 of one that the engine does not take.
  int element_type(DType dtype) const;
  /// Throws Error with what OpenVINO says unless `status` is that of success.
  void check(int status, const char* what) const;
};

struct LoadedApi {
  const Api* api = nullptr;
  std::string missing;  ///< why there is none, and what to do
};

/// Loads the library when first asked for it; it stays until the process ends.
const LoadedApi& loaded_api();

}  // namespace coracle::internal::openvino
