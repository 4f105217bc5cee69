// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/input/array.h"

namespace coracle::cli {

/// NumPy's array files (format 1.0 to 3.0, little-endian, C or Fortran order;
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). bfloat16 is written as uint16.
Array read_npy(const std::string& path);
/// The same of a file's content; `path` is for messages.
Array parse_npy(const std::string& path, const std::string& content);
void write_npy(const std::string& path, const Array& array);

}  // namespace coracle::cli
