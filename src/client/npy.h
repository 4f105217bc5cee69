// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "client/tensor.h"

/// NumPy's files of arrays in memory (format 1.0 to 3.0, little-endian, C or Fortran order;
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Reading throws Error for what is damaged,
/// has a type that the library does not, or another number of bytes than its shape; it takes memory in proportion to
/// what is read. `path` is for messages.
namespace coracle::client {

/// The array of a .npy file. float8 and bfloat16, which NumPy does not have, are there as the unsigned integers of
/// their bits and are read as these.
Tensor parse_npy(const std::string& path, std::string_view content);
/// The content of a .npy file.
std::string npy_bytes(const Tensor& tensor);
/// The type ("uint8") that the bits of a type have in such files; null where NumPy has the type itself.
const char* npy_bits(coracle_dtype dtype);

/// All arrays of an archive (.npz, packed or not) by name, of at most 2 GiB together.
NamedTensors parse_npz(const std::string& path, std::string_view content);

}  // namespace coracle::client
