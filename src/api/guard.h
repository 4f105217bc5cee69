// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/error.h"
#include "coracle/coracle.h"

namespace coracle::internal {

/// Keeps a message for coracle_last_error() of this thread. False where there is no memory for it: then that is the
/// message.
bool set_last_error(std::string_view message) noexcept;

/// Keeps what the exception being handled says, and gives its status.
coracle_status keep_current_error() noexcept;

/// Runs f and turns whatever it throws into a status and a message: the one way out of the library.
template <class F>
coracle_status guard(const F& f) noexcept {
  try {
    f();
    return CORACLE_OK;
  } catch (...) {
    return keep_current_error();
  }
}

/// Error unless a pointer argument is given.
inline void require_pointer(const void* p, const char* name) {
  require(p != nullptr, ErrorCode::kInvalidArgument, "argument '", name, "' is null");
}

}  // namespace coracle::internal
