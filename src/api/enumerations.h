// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtype.h"
#include "base/error.h"
#include "base/log.h"
#include "coracle/coracle.h"

/// The enumerations of the C interface and those of C++ that they stand for. A value that only one of both has does not
/// compile: each function names all of its enumeration, without a default.
namespace coracle {

constexpr coracle_status number_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return CORACLE_INVALID_ARGUMENT;
    case ErrorCode::kInvalidModel: return CORACLE_INVALID_MODEL;
    case ErrorCode::kUnsupported: return CORACLE_UNSUPPORTED;
    case ErrorCode::kIo: return CORACLE_IO;
    case ErrorCode::kOutOfMemory: return CORACLE_OUT_OF_MEMORY;
    case ErrorCode::kRunFailure: return CORACLE_RUN_FAILURE;
    case ErrorCode::kCancelled: return CORACLE_CANCELLED;
  }
  return CORACLE_RUN_FAILURE;
}

constexpr coracle_log_level number_of(LogLevel level) {
  switch (level) {
    case LogLevel::kOff: return CORACLE_LOG_OFF;
    case LogLevel::kWarning: return CORACLE_LOG_WARNING;
    case LogLevel::kInfo: return CORACLE_LOG_INFO;
    case LogLevel::kDebug: return CORACLE_LOG_DEBUG;
  }
  return CORACLE_LOG_OFF;
}

/// Of a tensor's elements, whose type is known.
constexpr coracle_dtype number_of(DType dtype) { return static_cast<coracle_dtype>(dtype); }

/// The element type of a number that the caller vouches for (is_dtype).
constexpr DType dtype_of(coracle_dtype number) { return static_cast<DType>(number); }

/// What comes from C may be any number.
constexpr bool is_dtype(coracle_dtype number) { return number >= CORACLE_BOOL && number <= CORACLE_COMPLEX128; }

namespace enumerations_detail {

/// Whether the number of a type is the one that C gives it.
constexpr bool agrees(coracle_dtype number) {
  switch (number) {
    case CORACLE_BOOL: return number == number_of(DType::kBool);
    case CORACLE_INT8: return number == number_of(DType::kInt8);
    case CORACLE_UINT8: return number == number_of(DType::kUint8);
    case CORACLE_INT16: return number == number_of(DType::kInt16);
    case CORACLE_INT32: return number == number_of(DType::kInt32);
    case CORACLE_INT64: return number == number_of(DType::kInt64);
    case CORACLE_FLOAT16: return number == number_of(DType::kFloat16);
    case CORACLE_BFLOAT16: return number == number_of(DType::kBfloat16);
    case CORACLE_FLOAT32: return number == number_of(DType::kFloat32);
    case CORACLE_FLOAT64: return number == number_of(DType::kFloat64);
    case CORACLE_COMPLEX64: return number == number_of(DType::kComplex64);
    case CORACLE_COMPLEX128: return number == number_of(DType::kComplex128);
  }
  return false;
}

constexpr bool all_agree() {
  for (int i = 0; i < static_cast<int>(DType::kUnknown); ++i) {
    if (!agrees(static_cast<coracle_dtype>(i))) return false;
  }
  return static_cast<int>(DType::kUnknown) == CORACLE_COMPLEX128 + 1;
}

/// The numbers of log levels are compared as they are, the greater the more messages.
constexpr bool same_number(LogLevel level) { return static_cast<int>(level) == static_cast<int>(number_of(level)); }

}  // namespace enumerations_detail

static_assert(enumerations_detail::all_agree(), "element types have the same numbers in C");
static_assert(enumerations_detail::same_number(LogLevel::kOff) && enumerations_detail::same_number(LogLevel::kDebug),
              "log levels have the same numbers in C");

}  // namespace coracle
