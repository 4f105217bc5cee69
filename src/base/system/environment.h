// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace coracle::internal {

/// A variable of the environment; null where there is none, and in a program that has more rights than who started it.
inline const char* trusted_variable(const char* name) {
#if defined(__GLIBC__)
  return ::secure_getenv(name);
#else
  return std::getenv(name);
#endif
}

}  // namespace coracle::internal
