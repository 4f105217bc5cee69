// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#if defined(__APPLE__)
#include <unistd.h>
#endif

namespace coracle::internal {

#if defined(_WIN32)

/// A variable of the environment, in UTF-8; nothing where there is none.
std::optional<std::string> environment_variable(const char* name);
inline std::optional<std::string> trusted_variable(const char* name) { return environment_variable(name); }

#else

/// A variable of the environment; nothing where there is none.
inline std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// The same, and nothing in a program that has more rights than who started it.
inline std::optional<std::string> trusted_variable(const char* name) {
#if defined(__linux__)
  const char* const value = ::secure_getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
#elif defined(__APPLE__)
  return ::issetugid() != 0 ? std::nullopt : environment_variable(name);
#else
  return environment_variable(name);
#endif
}

#endif

}  // namespace coracle::internal
