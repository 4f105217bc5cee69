// SPDX-License-Identifier: Apache-2.0
#include "difference.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace coracle::oracle {
namespace {

constexpr std::array<std::pair<coracle_dtype, const char*>, 10> kCodes{{{CORACLE_BOOL, "b1"},
                                                                        {CORACLE_INT8, "i1"},
                                                                        {CORACLE_UINT8, "u1"},
                                                                        {CORACLE_INT16, "i2"},
                                                                        {CORACLE_INT32, "i4"},
                                                                        {CORACLE_INT64, "i8"},
                                                                        {CORACLE_FLOAT16, "f2"},
                                                                        {CORACLE_BFLOAT16, "u2"},
                                                                        {CORACLE_FLOAT32, "f4"},
                                                                        {CORACLE_FLOAT64, "f8"}}};

double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <class T>
T element(const std::byte* data, size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

double real(coracle_dtype dtype, const std::byte* data, size_t i) {
  switch (dtype) {
    case CORACLE_FLOAT16: return half_to_double(element<uint16_t>(data, i));
    case CORACLE_FLOAT32: return element<float>(data, i);
    default: return element<double>(data, i);
  }
}

int64_t whole(coracle_dtype dtype, const std::byte* data, size_t i) {
  switch (dtype) {
    case CORACLE_BOOL:
    case CORACLE_UINT8: return element<uint8_t>(data, i);
    case CORACLE_INT8: return element<int8_t>(data, i);
    case CORACLE_INT16: return element<int16_t>(data, i);
    case CORACLE_INT32: return element<int32_t>(data, i);
    default: return element<int64_t>(data, i);
  }
}

std::string text(const std::vector<int64_t>& dims) {
  std::string s = "[";
  for (size_t i = 0; i < dims.size(); ++i) s += (i > 0 ? "," : "") + std::to_string(dims[i]);
  return s + "]";
}

std::string mismatch(size_t index, const std::string& got, const std::string& expected) {
  return "element " + std::to_string(index) + " is " + got + ", Paddle has " + expected;
}

}  // namespace

std::string type_code(coracle_dtype dtype) {
  for (const auto& [d, code] : kCodes) {
    if (d == dtype) return code;
  }
  return coracle_dtype_name(dtype);
}

coracle_dtype dtype_of_code(const std::string& code) {
  for (const auto& [d, c] : kCodes) {
    if (code == c) return d;
  }
  throw std::runtime_error("a .npy file of type " + code);
}

Difference compare(const coracle::View& got, const Output& expected) {
  const coracle_dtype dtype = got.dtype();
  if (type_code(dtype) != expected.array.type) {
    return {0, "the type is " + type_code(dtype) + ", Paddle has " + expected.array.type};
  }
  if (got.dims() != expected.array.dims) {
    return {0, "the shape is " + text(got.dims()) + ", Paddle has " + text(expected.array.dims)};
  }
  // Paddle keeps some offsets that no longer fit the rows.
  const bool fits = !expected.lod.empty() && !expected.lod.back().empty() && !got.dims().empty() &&
                    expected.lod.back().back() == static_cast<size_t>(got.dims()[0]);
  if (fits && got.lod() != expected.lod) return {0, "other sequence offsets than Paddle's"};
  const auto* a = static_cast<const std::byte*>(got.raw());
  const std::byte* b = expected.array.data.data();
  const bool is_real = dtype == CORACLE_FLOAT16 || dtype == CORACLE_FLOAT32 || dtype == CORACLE_FLOAT64;
  Difference difference;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!is_real) {
      const int64_t x = whole(dtype, a, i), y = whole(dtype, b, i);
      if (x != y) return {0, mismatch(i, std::to_string(x), std::to_string(y))};
      continue;
    }
    const double x = real(dtype, a, i), y = real(dtype, b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double allowed = std::isfinite(y) ? expected.absolute + expected.relative * std::abs(y) : 0;
    const double error = std::abs(x - y);
    if (!(error <= allowed)) {
      if (difference.reason.empty()) difference.reason = mismatch(i, std::to_string(x), std::to_string(y));
      difference.worst = std::isfinite(error) && allowed > 0 ? std::max(difference.worst, error / allowed) : HUGE_VAL;
    } else {
      difference.worst = std::max(difference.worst, error / allowed);
    }
  }
  return difference;
}

}  // namespace coracle::oracle
