// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#if defined(__APPLE__)
#include <unistd.h>
#endif

namespace coracle::internal {

/// A variable of the environment; null where there is none, and in a program that has more rights than who started it.
inline const char* trusted_variable(const char* name) {
#if defined(__linux__)
  return ::secure_getenv(name);
#elif defined(__APPLE__)
  return ::issetugid() != 0 ? nullptr : std::getenv(name);
#else
  return std::getenv(name);
#endif
}

}  // namespace coracle::internal
