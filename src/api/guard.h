// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "base/error.h"
#include "coracle/coracle.h"

namespace coracle {

/// Keeps a message for coracle_last_error() of this thread.
void set_last_error(std::string_view message) noexcept;

coracle_status status_of(ErrorCode code);

/// Runs f and turns whatever it throws into a status and a message: the one way out of the library.
template <class F>
coracle_status guard(const F& f) noexcept {
  try {
    f();
    return CORACLE_OK;
  } catch (const Error& e) {
    set_last_error(e.text());
    return status_of(e.code());
  } catch (const std::bad_alloc&) {
    set_last_error("out of memory");
    return CORACLE_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    set_last_error(e.what());
    return CORACLE_RUN_FAILURE;
  } catch (...) {
    set_last_error("an unknown error");
    return CORACLE_RUN_FAILURE;
  }
}

/// Error unless a pointer argument is given.
inline void require_pointer(const void* p, const char* name) {
  require(p != nullptr, ErrorCode::kInvalidArgument, "argument '", name, "' is null");
}

}  // namespace coracle
