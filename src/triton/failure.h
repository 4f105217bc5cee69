// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "coracle/coracle.hpp"
#include "triton/triton_api.h"

/// Errors: exceptions inside the back end, Triton's objects at its edges.
namespace coracle::triton {

struct Failure : std::runtime_error {
  Failure(TRITONSERVER_Error_Code c, const std::string& text) : std::runtime_error(text), code(c) {}
  TRITONSERVER_Error_Code code;
};

using ::coracle::check;

/// Throws a Failure where a function of the server returned an error, and frees that.
inline void check(TRITONSERVER_Error* error) {
  if (error == nullptr) return;
  const Failure failure(TRITONSERVER_ErrorCode(error), TRITONSERVER_ErrorMessage(error));
  TRITONSERVER_ErrorDelete(error);
  throw failure;
}

/// The exception that is being handled.
inline Failure current_failure() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const Exception& e) {
    switch (e.status()) {
      case CORACLE_INVALID_ARGUMENT: return {TRITONSERVER_ERROR_INVALID_ARG, e.what()};
      case CORACLE_UNSUPPORTED: return {TRITONSERVER_ERROR_UNSUPPORTED, e.what()};
      case CORACLE_OUT_OF_MEMORY: return {TRITONSERVER_ERROR_UNAVAILABLE, e.what()};
      default: return {TRITONSERVER_ERROR_INTERNAL, e.what()};
    }
  } catch (const std::bad_alloc&) {
    return {TRITONSERVER_ERROR_UNAVAILABLE, "out of memory"};
  } catch (const std::exception& e) {
    return {TRITONSERVER_ERROR_INTERNAL, e.what()};
  }
}

inline TRITONSERVER_Error* error_of(const Failure& failure) {
  return TRITONSERVER_ErrorNew(failure.code, failure.what());
}

/// For functions that the server calls: what `f` throws, as its error.
template <class F>
TRITONSERVER_Error* guard(const F& f) {
  try {
    f();
    return nullptr;
  } catch (...) {
    return error_of(current_failure());
  }
}

/// For calls whose failure nothing could be done about: it goes to the server's log.
inline void log_failure(TRITONSERVER_Error* error) {
  if (error == nullptr) return;
  TRITONSERVER_Error* unlogged =
      TRITONSERVER_LogMessage(TRITONSERVER_LOG_ERROR, "coracle", 0, TRITONSERVER_ErrorMessage(error));
  if (unlogged != nullptr) TRITONSERVER_ErrorDelete(unlogged);
  TRITONSERVER_ErrorDelete(error);
}

}  // namespace coracle::triton
