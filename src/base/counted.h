// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coracle::internal {

/// A part of a message: how many there are of something.
struct Counted {
  int64_t count;
  std::string_view one;  ///< the noun for one of them; more of them end in "s", "es" or "ies"
};

/// counted(1, "input") is written as "1 input", counted(3, "entry") as "3 entries".
template <class Integer>
Counted counted(Integer count, std::string_view one) {
  return {static_cast<int64_t>(count), one};
}

inline void append_text(std::string& to, const Counted& part) {
  append_text(to, part.count);
  to.push_back(' ');
  const char last = part.one.back();
  if (part.count == 1) {
    to.append(part.one);
  } else if (last == 'y') {
    to.append(part.one.substr(0, part.one.size() - 1)).append("ies");
  } else {
    to.append(part.one).append(last == 's' || last == 'x' ? "es" : "s");
  }
}

}  // namespace coracle::internal
