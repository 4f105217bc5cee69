// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <direct.h>
#include <process.h>

#include <cerrno>
#include <cstring>
#include <string>

/// What mingw-w64 lacks of the C library of other systems: makes a folder whose name ends with XXXXXX until then.
inline char* mkdtemp(char* name) {
  static unsigned count = 0;
  char* const end = name + std::strlen(name) - 6;
  for (int i = 0; i < 1000; ++i) {
    const std::string number =
        std::to_string(1'000'000 + (static_cast<unsigned>(_getpid()) * 37 + ++count) % 1'000'000);
    std::memcpy(end, number.data() + 1, 6);
    if (::_mkdir(name) == 0) return name;
    if (errno != EEXIST) break;
  }
  return nullptr;
}
