// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "base/printable.h"

/// Texts and members of what the interface says as JSON.
namespace coracle::internal {

/// Paths and reasons among these may hold bytes that are no UTF-8.
inline void write_text(JsonWriter& w, std::string_view s) { w.text(printable(s, /*lines=*/true)); }

inline void field(JsonWriter& w, const char* name, std::string_view value) {
  w.Key(name);
  write_text(w, value);
}
inline void field(JsonWriter& w, const char* name, int64_t value) {
  w.Key(name);
  w.Int64(value);
}

}  // namespace coracle::internal
