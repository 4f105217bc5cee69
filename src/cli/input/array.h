// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "coracle/coracle.hpp"

namespace coracle::cli {

/// A tensor of the program: type, shape, row-major bytes.
struct Array {
  coracle_dtype dtype = CORACLE_FLOAT32;
  api::Dims dims;
  std::vector<std::byte> bytes;
};

size_t element_count(const api::Dims& dims);
/// Bytes of all elements; nothing where that is more than memory could hold.
std::optional<size_t> byte_count(coracle_dtype dtype, const api::Dims& dims);
/// Zeros. Failure if that is more than memory holds.
Array make_array(coracle_dtype dtype, const api::Dims& dims);

/// A copy of a result.
Array array_of(const api::View& view);

/// "1,3,224,224"
std::string join(const api::Dims& dims);
/// "float32[1, 3, ?, ?]"
std::string type_text(coracle_dtype dtype, const api::Dims& dims);
std::string type_text(const api::TensorInfo& info);

}  // namespace coracle::cli
