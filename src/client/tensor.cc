// SPDX-License-Identifier: Apache-2.0
#include "client/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "client/element.h"

namespace coracle::client {
namespace {

/// "1,3,224,224"
std::string dims_text(const coracle::Dims& dims) {
  std::string out;
  for (int64_t d : dims) out.append(out.empty() ? "" : ",").append(std::to_string(d));
  return out;
}

}  // namespace

size_t element_count(const coracle::Dims& dims) {
  size_t n = 1;
  for (int64_t d : dims) n *= static_cast<size_t>(d);
  return n;
}

std::optional<size_t> byte_count(coracle_dtype dtype, const coracle::Dims& dims) {
  size_t bytes = coracle_dtype_size(dtype);
  for (int64_t d : dims) bytes = d == 0 ? 0 : bytes;
  for (int64_t d : dims) {
    if (d < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(d), &bytes) || bytes > PTRDIFF_MAX) return {};
  }
  return bytes;
}

Tensor zeros(coracle_dtype dtype, const coracle::Dims& dims) {
  const std::optional<size_t> bytes = byte_count(dtype, dims);
  if (!bytes) fail(CORACLE_INVALID_ARGUMENT, "the shape " + dims_text(dims) + " is too large");
  try {
    return {dtype, dims, std::vector<std::byte>(*bytes)};
  } catch (const std::bad_alloc&) {
    fail(CORACLE_OUT_OF_MEMORY,
         "out of memory: " + type_text(dtype, dims) + " takes " + std::to_string(*bytes) + " bytes");
  }
}

Tensor tensor_of(const coracle::View& view) {
  Tensor a{view.dtype(), view.dims(), std::vector<std::byte>(view.bytes())};
  if (view.bytes() != 0) std::memcpy(a.bytes.data(), view.raw(), view.bytes());
  return a;
}

Tensor tensor_of_bytes(const std::string& path, std::string_view content, coracle_dtype dtype, coracle::Dims dims) {
  coracle::Dims known = dims;
  const auto free = std::find_if(dims.begin(), dims.end(), [](int64_t d) { return d < 0; });
  if (free != dims.end()) known.erase(known.begin() + (free - dims.begin()));
  const std::optional<size_t> bytes = byte_count(dtype, known);
  const std::string holds = path + ": it has " + std::to_string(content.size()) + " bytes, " + type_text(dtype, dims);
  if (!bytes) fail(CORACLE_INVALID_ARGUMENT, holds + " takes more, or has several free dimensions: give --shape");
  if (free != dims.end()) {
    if (*bytes == 0 || content.size() % *bytes != 0) {
      fail(CORACLE_INVALID_ARGUMENT, holds + " takes a multiple of " + std::to_string(*bytes));
    }
    *free = static_cast<int64_t>(content.size() / *bytes);
  } else if (content.size() != *bytes) {
    fail(CORACLE_INVALID_ARGUMENT, holds + " takes " + std::to_string(*bytes));
  }
  Tensor a = zeros(dtype, dims);
  if (!content.empty()) std::memcpy(a.bytes.data(), content.data(), content.size());
  if (dtype == CORACLE_BOOL) {
    const auto other = std::find_if(a.bytes.begin(), a.bytes.end(), [](std::byte b) { return b > std::byte{1}; });
    if (other != a.bytes.end()) fail(CORACLE_INVALID_ARGUMENT, path + ": bytes of bool are 0 or 1");
  }
  return a;
}

Tensor converted(const std::string& path, const Tensor& tensor, coracle_dtype dtype) {
  Tensor out = zeros(dtype, tensor.dims);
  const size_t count = element_count(tensor.dims);
  for (size_t i = 0; i < count; ++i) {
    const bool whole = is_whole(tensor.dtype);
    const bool stored =
        is_real(tensor.dtype) && (whole ? put_whole(out, i, whole_at(tensor.dtype, tensor.bytes.data(), i))
                                        : put_number(out, i, number_at(tensor.dtype, tensor.bytes.data(), i)));
    if (stored) continue;
    fail(CORACLE_INVALID_ARGUMENT, path + ": element " + std::to_string(i) + " is no " + coracle_dtype_name(dtype) +
                                       " and is not made one of " + coracle_dtype_name(tensor.dtype));
  }
  return out;
}

std::string type_text(coracle_dtype dtype, const coracle::Dims& dims) {
  std::string out = std::string(coracle_dtype_name(dtype)) + "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    out.append(i == 0 ? "" : ", ").append(dims[i] < 0 ? "?" : std::to_string(dims[i]));
  }
  return out + "]";
}

std::string type_text(const coracle::TensorInfo& info) {
  return info.rank_known ? type_text(info.dtype, info.dims) : std::string(coracle_dtype_name(info.dtype)) + "[...]";
}

}  // namespace coracle::client
