// SPDX-License-Identifier: Apache-2.0
#include "cli/input/array.h"

#include <cstdint>
#include <cstring>
#include <new>

#include "cli/failure.h"

namespace coracle::cli {

size_t element_count(const api::Dims& dims) {
  size_t n = 1;
  for (int64_t d : dims) n *= static_cast<size_t>(d);
  return n;
}

std::optional<size_t> byte_count(coracle_dtype dtype, const api::Dims& dims) {
  size_t bytes = coracle_dtype_size(dtype);
  for (int64_t d : dims) bytes = d == 0 ? 0 : bytes;
  for (int64_t d : dims) {
    if (d < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(d), &bytes) || bytes > PTRDIFF_MAX) return {};
  }
  return bytes;
}

Array make_array(coracle_dtype dtype, const api::Dims& dims) {
  const std::optional<size_t> bytes = byte_count(dtype, dims);
  if (!bytes) throw Failure(ExitCode::kUsage, "the shape " + join(dims) + " is too large");
  try {
    return {dtype, dims, std::vector<std::byte>(*bytes)};
  } catch (const std::bad_alloc&) {
    throw Failure(ExitCode::kOutOfMemory,
                  "out of memory: " + type_text(dtype, dims) + " takes " + std::to_string(*bytes) + " bytes");
  }
}

Array array_of(const api::View& view) {
  Array a{view.dtype(), view.dims(), std::vector<std::byte>(view.bytes())};
  if (view.bytes() != 0) std::memcpy(a.bytes.data(), view.raw(), view.bytes());
  return a;
}

std::string join(const api::Dims& dims) {
  std::string out;
  for (int64_t d : dims) out.append(out.empty() ? "" : ",").append(std::to_string(d));
  return out;
}

std::string type_text(coracle_dtype dtype, const api::Dims& dims) {
  std::string out = std::string(coracle_dtype_name(dtype)) + "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    out.append(i == 0 ? "" : ", ").append(dims[i] < 0 ? "?" : std::to_string(dims[i]));
  }
  return out + "]";
}

std::string type_text(const api::TensorInfo& info) {
  return info.rank_known ? type_text(info.dtype, info.dims) : std::string(coracle_dtype_name(info.dtype)) + "[...]";
}

}  // namespace coracle::cli
