// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/input/array.h"

namespace coracle::cli {

/// NumPy's array files (format 1.0 to 3.0, little-endian, C or Fortran order;
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). bfloat16 is written as uint16, and
/// uint16 read as bfloat16; float8 is written as uint8, which is read as uint8: an input of float8 takes it for its
/// codes.
Array read_npy(const std::string& path);
/// The same of a file's content; `path` is for messages.
Array parse_npy(const std::string& path, const std::string& content);
void write_npy(const std::string& path, const Array& array);
/// The type ("uint8") that the bits of a type have in such files; null where NumPy has the type itself.
const char* npy_bits(coracle_dtype dtype);

}  // namespace coracle::cli
