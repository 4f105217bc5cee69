// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/dtype_table.h"

namespace coracle::internal {

/// Bytes of one element; 0 of kUnknown.
size_t size_of(DType dtype);

/// "float32", "int64", ..., "unknown"
std::string_view name_of(DType dtype);

/// The type of that name, if there is one; kUnknown is not.
std::optional<DType> dtype_of(std::string_view name);

/// The type of a VarType number of ProgramDesc, if it is one of an element.
std::optional<DType> dtype_of_var_type(int64_t number);

/// The type that PIR calls so ("t_f32"), if there is one.
std::optional<DType> dtype_of_pir(std::string_view name);

/// float16, bfloat16, float32, float64: what is computed with.
bool is_float(DType dtype);

/// int8 ... int64, uint8 (not bool).
bool is_integer(DType dtype);

bool is_complex(DType dtype);

/// float8_e4m3fn, float8_e5m2: what is stored, moved and cast only.
bool is_float8(DType dtype);

}  // namespace coracle::internal
