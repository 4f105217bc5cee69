// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "triton/failure.h"

/// The element types that Triton and Coracle both have.
namespace coracle::triton {

struct Datatype {
  coracle_dtype dtype;
  TRITONSERVER_DataType type;
  std::string_view name;  ///< in configurations
};

inline constexpr Datatype kDatatypes[] = {
    {CORACLE_BOOL, TRITONSERVER_TYPE_BOOL, "TYPE_BOOL"},    {CORACLE_UINT8, TRITONSERVER_TYPE_UINT8, "TYPE_UINT8"},
    {CORACLE_INT8, TRITONSERVER_TYPE_INT8, "TYPE_INT8"},    {CORACLE_INT16, TRITONSERVER_TYPE_INT16, "TYPE_INT16"},
    {CORACLE_INT32, TRITONSERVER_TYPE_INT32, "TYPE_INT32"}, {CORACLE_INT64, TRITONSERVER_TYPE_INT64, "TYPE_INT64"},
    {CORACLE_FLOAT16, TRITONSERVER_TYPE_FP16, "TYPE_FP16"}, {CORACLE_BFLOAT16, TRITONSERVER_TYPE_BF16, "TYPE_BF16"},
    {CORACLE_FLOAT32, TRITONSERVER_TYPE_FP32, "TYPE_FP32"}, {CORACLE_FLOAT64, TRITONSERVER_TYPE_FP64, "TYPE_FP64"},
};

/// Throws a Failure where Triton has no such type.
inline const Datatype& datatype_of(coracle_dtype dtype, const std::string& tensor) {
  for (const Datatype& row : kDatatypes) {
    if (row.dtype == dtype) return row;
  }
  throw Failure(TRITONSERVER_ERROR_UNSUPPORTED,
                "'" + tensor + "' has elements of type " + coracle_dtype_name(dtype) + ", which Triton does not have");
}

/// Throws a Failure where Coracle has no such type.
inline const Datatype& datatype_of(TRITONSERVER_DataType type, const std::string& tensor) {
  for (const Datatype& row : kDatatypes) {
    if (row.type == type) return row;
  }
  const std::string found = type == TRITONSERVER_TYPE_BYTES ? "BYTES" : "number " + std::to_string(type);
  throw Failure(TRITONSERVER_ERROR_UNSUPPORTED,
                "input '" + tensor + "' has elements of type " + found +
                    ", which models do not have; send BOOL, UINT8, INT8 to INT64, FP16, BF16, FP32 or FP64");
}

}  // namespace coracle::triton
