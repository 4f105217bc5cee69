// SPDX-License-Identifier: Apache-2.0
#include "cli/input/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace coracle::cli {
namespace {

template <class T>
T at(const void* elements, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(elements) + index * sizeof(T), sizeof(T));
  return value;
}

double from_float16(uint16_t bits) {
  const int exponent = bits >> 10U & 0x1F;
  const int mantissa = bits & 0x3FF;
  double value = std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 0x1F) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

template <class T>
bool put(Array& array, size_t index, T value) {
  std::memcpy(array.bytes.data() + index * sizeof(T), &value, sizeof(T));
  return true;
}

template <class T>
bool put_in_range(Array& array, size_t index, int64_t value) {
  return std::in_range<T>(value) && put(array, index, static_cast<T>(value));
}

}  // namespace

bool is_whole(coracle_dtype dtype) {
  switch (dtype) {
    case CORACLE_BOOL:
    case CORACLE_INT8:
    case CORACLE_UINT8:
    case CORACLE_INT16:
    case CORACLE_INT32:
    case CORACLE_INT64: return true;
    default: return false;
  }
}

bool is_real(coracle_dtype dtype) {
  switch (dtype) {
    case CORACLE_FLOAT16:
    case CORACLE_BFLOAT16:
    case CORACLE_FLOAT32:
    case CORACLE_FLOAT64: return true;
    default: return is_whole(dtype);
  }
}

int64_t whole_at(coracle_dtype dtype, const void* elements, size_t index) {
  switch (dtype) {
    case CORACLE_BOOL:
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
    case CORACLE_FLOAT16: return from_float16(at<uint16_t>(elements, index));
    case CORACLE_BFLOAT16: return std::bit_cast<float>(uint32_t{at<uint16_t>(elements, index)} << 16U);
    case CORACLE_FLOAT32: return at<float>(elements, index);
    case CORACLE_FLOAT64: return at<double>(elements, index);
    default: return static_cast<double>(whole_at(dtype, elements, index));
  }
}

bool put_whole(Array& array, size_t index, int64_t value) {
  switch (array.dtype) {
    case CORACLE_BOOL: return (value == 0 || value == 1) && put_in_range<uint8_t>(array, index, value);
    case CORACLE_UINT8: return put_in_range<uint8_t>(array, index, value);
    case CORACLE_INT8: return put_in_range<int8_t>(array, index, value);
    case CORACLE_INT16: return put_in_range<int16_t>(array, index, value);
    case CORACLE_INT32: return put_in_range<int32_t>(array, index, value);
    case CORACLE_INT64: return put(array, index, value);
    case CORACLE_FLOAT32: return put(array, index, static_cast<float>(value));
    case CORACLE_FLOAT64: return put(array, index, static_cast<double>(value));
    default: return false;
  }
}

bool put_number(Array& array, size_t index, double value) {
  if (array.dtype == CORACLE_FLOAT32) return put(array, index, static_cast<float>(value));
  if (array.dtype == CORACLE_FLOAT64) return put(array, index, value);
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return value >= -kLimit && value < kLimit && std::floor(value) == value &&
         put_whole(array, index, static_cast<int64_t>(value));
}

bool dtype_named(const char* name, coracle_dtype* dtype) {
  for (int d = CORACLE_BOOL; d <= CORACLE_COMPLEX128; ++d) {
    if (std::strcmp(name, coracle_dtype_name(static_cast<coracle_dtype>(d))) != 0) continue;
    *dtype = static_cast<coracle_dtype>(d);
    return true;
  }
  return false;
}

}  // namespace coracle::cli
