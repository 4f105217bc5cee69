// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/tensor.h"

namespace coracle::internal::test {

/// A .npy file (format 1.0, little-endian, C order). Throws std::runtime_error.
Tensor read_npy(const std::string& path);
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace coracle::internal::test
