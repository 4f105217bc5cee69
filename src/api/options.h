// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

/// Option structs of the C interface: they begin with `struct_size`, the size their user was compiled with.
namespace coracle::internal {

/// A time limit that a user gave.
inline int64_t checked_time_limit(int64_t ms) {
  // A year: what is more cannot be meant, and might not fit where times are added.
  constexpr int64_t kMostMs = int64_t{366} * 24 * 3600 * 1000;
  require(ms >= 0 && ms <= kMostMs, ErrorCode::kInvalidArgument, "time_limit_ms is ", ms, ", expected 0 to ", kMostMs);
  return ms;
}

/// Writes the first `struct_size` bytes of the defaults.
template <class Options>
void init_options(Options* options, size_t struct_size, Options defaults) {
  if (options == nullptr) return;
  defaults.struct_size = struct_size;
  std::memcpy(options, &defaults, std::min(struct_size, sizeof(Options)));
}

/// What a user gave, with defaults for the fields that were added after the user was compiled. Fields of a later
/// version must be zero. Throws Error.
template <class Options>
Options read_options(const Options& given, Options defaults, const char* name) {
  // The size is read alone: the user's struct may be smaller than ours.
  size_t size = 0;
  std::memcpy(&size, &given, sizeof(size));
  constexpr size_t kLargest = 4096;  // not a size that a struct can have
  require(size >= sizeof(size_t) && size % sizeof(size_t) == 0 && size <= kLargest, ErrorCode::kInvalidArgument, name,
          " has struct_size ", size, ", expected ", sizeof(Options), ": call ", name, "_init first");
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  require(std::all_of(bytes + std::min(size, sizeof(Options)), bytes + size, [](unsigned char b) { return b == 0; }),
          ErrorCode::kInvalidArgument, name, " has struct_size ", size, ", here it is ", sizeof(Options),
          ": it sets options that this version of the library does not have");
  std::memcpy(&defaults, &given, std::min(size, sizeof(Options)));
  return defaults;
}

/// Sets an option that has names for its values to the one that a user named; null leaves it as it is.
template <class E>
void set_named(const char* option, const char* given, E& value) {
  if (given == nullptr) return;
  const std::span<const std::string_view> names = names_of(value);
  const auto found = std::find(names.begin(), names.end(), given);
  if (found == names.end()) {
    std::string list;
    for (std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
    fail(ErrorCode::kInvalidArgument, option, " cannot be '", given, "', only one of: ", list);
  }
  value = static_cast<E>(found - names.begin());
}

}  // namespace coracle::internal
