// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/error.h"

namespace coracle::client {

/// A tensor with memory of its own: type, shape, row-major bytes, as many as these take.
struct Tensor {
  coracle_dtype dtype = CORACLE_FLOAT32;
  coracle::Dims dims;
  std::vector<std::byte> bytes;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

size_t element_count(const coracle::Dims& dims);
/// Bytes of all elements; nothing where that is more than memory could hold.
std::optional<size_t> byte_count(coracle_dtype dtype, const coracle::Dims& dims);
/// Zeros. Throws Error if that is more than memory holds.
Tensor zeros(coracle_dtype dtype, const coracle::Dims& dims);
/// A copy of a result.
Tensor tensor_of(const coracle::View& view);

/// The bytes as they are in memory (little-endian, row-major): `dims`, of which one may be free (negative), is what
/// they must fill. Throws Error, as it does for a truth value that is neither 0 nor 1. `path` is for messages.
Tensor tensor_of_bytes(const std::string& path, std::string_view bytes, coracle_dtype dtype, coracle::Dims dims);
/// The same numbers as another type. Throws Error that names one which the type does not hold.
Tensor converted(const std::string& path, const Tensor& tensor, coracle_dtype dtype);

/// "float32[1, 3, ?, ?]"
std::string type_text(coracle_dtype dtype, const coracle::Dims& dims);
std::string type_text(const coracle::TensorInfo& info);

}  // namespace coracle::client
