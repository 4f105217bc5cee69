// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/tensor.h"

/// Single elements of tensors as numbers.
namespace coracle::client {

/// Whether elements of that type are numbers or truth values that a double shows.
bool is_real(coracle_dtype dtype);
bool is_whole(coracle_dtype dtype);
bool is_complex(coracle_dtype dtype);
/// Element `index` of `elements`, of such a type; integers beyond 2^53 are rounded.
double number_at(coracle_dtype dtype, const void* elements, size_t index);
/// An element of a type of integers or truth values.
int64_t whole_at(coracle_dtype dtype, const void* elements, size_t index);

/// Stores a number as element `index`; float32 rounds. False if the type does not hold it: fractions and what is out of
/// range among integers; real types of 8 and 16 bits are not written.
bool put_number(Tensor& tensor, size_t index, double value);
bool put_whole(Tensor& tensor, size_t index, int64_t value);

/// The element type called `name`, as coracle_dtype_name has it.
std::optional<coracle_dtype> dtype_named(std::string_view name);
/// "bool, int8 ... and complex128": all that dtype_named takes.
std::string dtype_names();

/// What the Open Inference Protocol calls a type: "BOOL", "INT64", "FP32", "BF16"; empty for complex numbers and
/// float8, which it does not have.
std::string datatype_of(coracle_dtype dtype);
/// The element type that the protocol calls so, of those that the library has.
std::optional<coracle_dtype> dtype_of_datatype(std::string_view datatype);
/// "BOOL, INT8 ... FP64": all that it takes.
std::string datatype_names();

}  // namespace coracle::client
