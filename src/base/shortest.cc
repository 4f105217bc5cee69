// SPDX-License-Identifier: Apache-2.0
#include "base/shortest.h"

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace coracle::internal {
namespace {

/// More than the longest number of 17 digits takes: a sign, a point of several bytes, an exponent.
constexpr size_t kMostCharacters = 48;

template <class T, class Read>
std::string shortest_of(T value, const Read& read) {
  char digits[kMostCharacters];
  int written = 0;
  // Of numbers with all their bits, digits10 digits are what each may need.
  const int least = std::fpclassify(value) == FP_SUBNORMAL ? 1 : std::numeric_limits<T>::digits10;
  for (int count = least; count <= std::numeric_limits<T>::max_digits10; ++count) {
    written = std::snprintf(digits, sizeof(digits), "%.*g", count, static_cast<double>(value));
    if (read(digits) == value) break;
  }
  std::string out(digits, static_cast<size_t>(written));
  const std::string point = std::localeconv()->decimal_point;
  if (const size_t at = out.find(point); at != std::string::npos) out.replace(at, point.size(), ".");
  return out;
}

}  // namespace

std::string shortest(double value) {
  return shortest_of(value, [](const char* digits) { return std::strtod(digits, nullptr); });
}

std::string shortest(float value) {
  return shortest_of(value, [](const char* digits) { return std::strtof(digits, nullptr); });
}

}  // namespace coracle::internal
