// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

/// For programs that are tests by themselves: what is not so ends them.
inline void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}
#define EXPECT(condition) expect(condition, #condition)

template <class F>
void expect_error(F call, const char* what) {
  try {
    call();
  } catch (const std::runtime_error&) {
    return;
  }
  expect(false, what);
}

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
