// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "library.h"

namespace paddle {
namespace platform {

/// What every failing call throws, under the names that Paddle's own exception has had.
class EnforceNotMet : public std::runtime_error {
 public:
  explicit EnforceNotMet(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace platform

namespace detail {

inline void append(std::ostream&) {}
template <class First, class... Rest>
void append(std::ostream& out, const First& first, const Rest&... rest) {
  out << first;
  append(out, rest...);
}

/// All parts one after the other.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  append(out, parts...);
  return out.str();
}

/// "[1, 3, 224, 224]"
template <class List>
std::string list_text(const List& list) {
  std::ostringstream out;
  const char* before = "[";
  for (const auto& item : list) {
    out << before << item;
    before = ", ";
  }
  out << (list.empty() ? "[]" : "]");
  return out.str();
}

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw platform::EnforceNotMet(text(parts...));
}

template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(parts...);
}

/// Throws what the library said.
inline void check(coracle_status status) {
  if (status != CORACLE_OK) fail(coracle_last_error());
}

}  // namespace detail
}  // namespace paddle

namespace phi {
namespace enforce {
using EnforceNotMet = paddle::platform::EnforceNotMet;
}  // namespace enforce
}  // namespace phi
namespace common {
namespace enforce {
using EnforceNotMet = paddle::platform::EnforceNotMet;
}  // namespace enforce
}  // namespace common
