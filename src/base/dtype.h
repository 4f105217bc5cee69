// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace coracle {

/// Element types. The numbers are our own; file formats have theirs (see src/model).
enum class DType : uint8_t {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kUnknown,  ///< of a Fact only: the type is known no sooner than in a run
};

/// Bytes of one element; 0 of kUnknown.
size_t size_of(DType dtype);

/// "float32", "int64", ..., "unknown"
std::string_view name_of(DType dtype);

/// The type of that name, if there is one; kUnknown is not.
std::optional<DType> dtype_of(std::string_view name);

/// float16, bfloat16, float32, float64.
bool is_float(DType dtype);

/// int8 ... int64, uint8 (not bool).
bool is_integer(DType dtype);

bool is_complex(DType dtype);

}  // namespace coracle
