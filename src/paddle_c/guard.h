// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

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

/// Runs f; where it throws, the reason is kept and the value is `failed`. The one way out of this library.
template <class Value, class F>
Value guard(const char* call, Value failed, const F& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    keep_reason(call, "out of memory");
  } catch (const std::length_error&) {
    keep_reason(call, "out of memory");
  } catch (const std::exception& e) {
    keep_reason(call, e.what());
  } catch (...) {
    keep_reason(call, "an unknown error");
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
  if (pointer == nullptr) throw std::invalid_argument(std::string("argument '") + name + "' is null");
  return *pointer;
}

inline const char* text(const char* s, const char* name) { return &given(s, name); }

}  // namespace coracle::paddle_c
