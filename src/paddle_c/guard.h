// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "coracle/coracle.h"

namespace coracle::paddle_c {

/// Keeps why a call failed for coracle_last_error() of this thread.
inline void keep_reason(const char* call, const char* reason) noexcept {
  try {
    coracle_set_last_error((std::string(call) + ": " + reason).c_str());
  } catch (...) {
    coracle_set_last_error(reason);
  }
}

/// A misuse of this library's own functions.
class Misuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Keeps what the exception being handled says (call it in a catch block). Those of Paddle's C++ interface, of
/// coracle.hpp and of hooks that users gave are runtime errors; what the C++ library says of itself helps no user and
/// is not repeated.
inline void keep_current_reason(const char* call) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    keep_reason(call, "out of memory");
  } catch (const std::length_error&) {
    keep_reason(call, "out of memory");
  } catch (const std::system_error&) {
    keep_reason(call, "the system refused a call");
  } catch (const std::runtime_error& e) {
    keep_reason(call, e.what());
  } catch (...) {
    keep_reason(call, "a check within the library failed: this is a fault of it, not of its use");
  }
}

/// Runs f; where it throws, the reason is kept and the value is `failed`. The one way out of this library.
template <class Value, class F>
Value guard(const char* call, Value failed, const F& f) noexcept {
  try {
    return f();
  } catch (...) {
    keep_current_reason(call);
  }
  return failed;
}

template <class F>
void guard(const char* call, const F& f) noexcept {
  guard(call, 0, [&] {
    f();
    return 0;
  });
}

template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) throw Misuse(std::string("argument '") + name + "' is null");
  return *pointer;
}

inline const char* text(const char* s, const char* name) { return &given(s, name); }

}  // namespace coracle::paddle_c
