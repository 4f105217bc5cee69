// SPDX-License-Identifier: Apache-2.0
#include "api/guard.h"

#include <string>

#include "base/current_error.h"
#include "base/printable.h"

namespace coracle {
namespace {

thread_local std::string last_error;

}  // namespace

void set_last_error(std::string_view message) noexcept {
  try {
    last_error = printable(message, /*lines=*/true);
  } catch (...) {
    last_error.clear();
  }
}

coracle_status keep_current_error() noexcept {
  try {
    const Error error = current_error();
    set_last_error(error.text());
    return status_of(error.code());
  } catch (...) {  // there was no memory for the text
    set_last_error("out of memory");
    return CORACLE_OUT_OF_MEMORY;
  }
}

coracle_status status_of(ErrorCode code) {
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

}  // namespace coracle

extern "C" const char* coracle_last_error(void) { return coracle::last_error.c_str(); }

extern "C" void coracle_set_last_error(const char* message) {
  coracle::set_last_error(message == nullptr ? "" : message);
}
