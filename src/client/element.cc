// SPDX-License-Identifier: Apache-2.0
#include "client/element.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/dtype_table.h"
#include "base/float8.h"
#include "base/half.h"

namespace coracle::client {
namespace {

template <class T>
T at(const void* elements, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(elements) + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
bool put(Tensor& tensor, size_t index, T value) {
  std::memcpy(tensor.bytes.data() + index * sizeof(T), &value, sizeof(T));
  return true;
}

template <class T>
bool put_in_range(Tensor& tensor, size_t index, int64_t value) {
  return std::in_range<T>(value) && put(tensor, index, static_cast<T>(value));
}

template <class Is>
std::optional<coracle_dtype> dtype_where(const Is& is) {
  for (const internal::DTypeRow& row : internal::kDTypeTable) {
    if (row.dtype != internal::DType::kUnknown && is(row)) return static_cast<coracle_dtype>(row.dtype);
  }
  return {};
}

internal::DTypeKind kind_of(coracle_dtype dtype) { return internal::row_of(static_cast<internal::DType>(dtype)).kind; }

}  // namespace

bool is_whole(coracle_dtype dtype) {
  switch (kind_of(dtype)) {
    case internal::DTypeKind::kBool:
    case internal::DTypeKind::kSigned:
    case internal::DTypeKind::kUnsigned: return true;
    default: return false;
  }
}

bool is_complex(coracle_dtype dtype) { return kind_of(dtype) == internal::DTypeKind::kComplex; }

bool is_real(coracle_dtype dtype) { return kind_of(dtype) != internal::DTypeKind::kUnknown && !is_complex(dtype); }

int64_t whole_at(coracle_dtype dtype, const void* elements, size_t index) {
  switch (dtype) {
    case CORACLE_BOOL: return at<uint8_t>(elements, index) != 0 ? 1 : 0;
    case CORACLE_UINT8: return at<uint8_t>(elements, index);
    case CORACLE_INT8: return at<int8_t>(elements, index);
    case CORACLE_INT16: return at<int16_t>(elements, index);
    case CORACLE_INT32: return at<int32_t>(elements, index);
    case CORACLE_INT64: return at<int64_t>(elements, index);
    default: return 0;
  }
}

double number_at(coracle_dtype dtype, const void* elements, size_t index) {
  switch (dtype) {
    case CORACLE_FLOAT16: return internal::Float16::to_float(at<uint16_t>(elements, index));
    case CORACLE_BFLOAT16: return at<internal::Bfloat16>(elements, index);
    case CORACLE_FLOAT8_E4M3: return internal::Float8E4m3::to_float(at<uint8_t>(elements, index));
    case CORACLE_FLOAT8_E5M2: return internal::Float8E5m2::to_float(at<uint8_t>(elements, index));
    case CORACLE_FLOAT32: return at<float>(elements, index);
    case CORACLE_FLOAT64: return at<double>(elements, index);
    default: return static_cast<double>(whole_at(dtype, elements, index));
  }
}

bool put_whole(Tensor& tensor, size_t index, int64_t value) {
  switch (tensor.dtype) {
    case CORACLE_BOOL: return (value == 0 || value == 1) && put_in_range<uint8_t>(tensor, index, value);
    case CORACLE_UINT8: return put_in_range<uint8_t>(tensor, index, value);
    case CORACLE_INT8: return put_in_range<int8_t>(tensor, index, value);
    case CORACLE_INT16: return put_in_range<int16_t>(tensor, index, value);
    case CORACLE_INT32: return put_in_range<int32_t>(tensor, index, value);
    case CORACLE_INT64: return put(tensor, index, value);
    case CORACLE_FLOAT32: return put(tensor, index, static_cast<float>(value));
    case CORACLE_FLOAT64: return put(tensor, index, static_cast<double>(value));
    default: return false;
  }
}

bool put_number(Tensor& tensor, size_t index, double value) {
  if (tensor.dtype == CORACLE_FLOAT32) return put(tensor, index, static_cast<float>(value));
  if (tensor.dtype == CORACLE_FLOAT64) return put(tensor, index, value);
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return value >= -kLimit && value < kLimit && std::floor(value) == value &&
         put_whole(tensor, index, static_cast<int64_t>(value));
}

std::optional<coracle_dtype> dtype_named(std::string_view name) {
  return dtype_where([&](const internal::DTypeRow& row) { return row.name == name; });
}

std::string dtype_names() {
  std::string names;
  for (const internal::DTypeRow& row : internal::kDTypeTable) {
    if (row.dtype == internal::DType::kUnknown) break;
    const bool last = internal::row_of(static_cast<internal::DType>(static_cast<int>(row.dtype) + 1)).dtype ==
                      internal::DType::kUnknown;
    names.append(names.empty() ? "" : (last ? " and " : ", ")).append(row.name);
  }
  return names;
}

std::string datatype_of(coracle_dtype dtype) {
  const std::string bits = std::to_string(8 * coracle_dtype_size(dtype));
  switch (kind_of(dtype)) {
    case internal::DTypeKind::kBool: return "BOOL";
    case internal::DTypeKind::kSigned: return "INT" + bits;
    case internal::DTypeKind::kUnsigned: return "UINT" + bits;
    case internal::DTypeKind::kFloat: return (dtype == CORACLE_BFLOAT16 ? "BF" : "FP") + bits;
    case internal::DTypeKind::kFloat8:
    case internal::DTypeKind::kComplex:
    case internal::DTypeKind::kUnknown: break;
  }
  return {};
}

std::optional<coracle_dtype> dtype_of_datatype(std::string_view datatype) {
  return dtype_where([&](const internal::DTypeRow& row) {
    const std::string name = datatype_of(static_cast<coracle_dtype>(row.dtype));
    return !name.empty() && name == datatype;
  });
}

std::string datatype_names() {
  std::string names;
  for (const internal::DTypeRow& row : internal::kDTypeTable) {
    const std::string name = datatype_of(static_cast<coracle_dtype>(row.dtype));
    if (!name.empty()) names.append(names.empty() ? "" : ", ").append(name);
  }
  return names;
}

}  // namespace coracle::client
