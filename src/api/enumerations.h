// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtype.h"
#include "base/error.h"
#include "base/log.h"
#include "coracle/coracle.h"

/// The enumerations of the C interface and those of C++ that they stand for. A value that only one of both has does not
/// compile: each function names all of its enumeration, without a default.
namespace coracle::internal {

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
constexpr bool is_dtype(coracle_dtype number) { return number >= CORACLE_BOOL && number < number_of(DType::kUnknown); }

namespace enumerations_detail {

/// The type that a row gives a number of C; kUnknown where none does.
constexpr DType row_of(coracle_dtype number) {
  switch (number) {
#define CORACLE_ROW(enumerator, type, kind, c, ...) \
  case c: return DType::enumerator;
    CORACLE_DTYPES(CORACLE_ROW)
#undef CORACLE_ROW
  }
  return DType::kUnknown;
}

constexpr bool all_agree() {
  for (int i = 0; i < static_cast<int>(DType::kUnknown); ++i) {
    if (row_of(static_cast<coracle_dtype>(i)) != static_cast<DType>(i)) return false;
  }
  return true;
}

/// The numbers of log levels are compared as they are, the greater the more messages.
constexpr bool same_number(LogLevel level) { return static_cast<int>(level) == static_cast<int>(number_of(level)); }

}  // namespace enumerations_detail

static_assert(enumerations_detail::all_agree(), "element types have the same numbers in C");
static_assert(enumerations_detail::same_number(LogLevel::kOff) && enumerations_detail::same_number(LogLevel::kDebug),
              "log levels have the same numbers in C");

}  // namespace coracle::internal
