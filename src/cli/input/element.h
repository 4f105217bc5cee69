// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/input/array.h"

/// Single elements of tensors as numbers.
namespace coracle::cli {

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
bool put_number(Array& array, size_t index, double value);
bool put_whole(Array& array, size_t index, int64_t value);

/// The element type called `name`, as coracle_dtype_name has it; false if there is none.
bool dtype_named(const char* name, coracle_dtype* dtype);
/// "bool, int8 ... and complex128": all that dtype_named takes.
std::string dtype_names();

}  // namespace coracle::cli
