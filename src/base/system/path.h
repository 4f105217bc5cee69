// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace coracle::internal {

#if defined(_WIN32)
inline constexpr std::string_view kSeparators = "/\\";
inline constexpr char kListSeparator = ';';  ///< between the folders of a list, as in PATH
#else
inline constexpr std::string_view kSeparators = "/";
inline constexpr char kListSeparator = ':';
#endif

/// The path with "/" between its parts, which every system takes.
inline void use_slashes([[maybe_unused]] std::string& path) {
#if defined(_WIN32)
  std::replace(path.begin(), path.end(), '\\', '/');
#endif
}

/// Where the last part of a path has its separator in front; npos: nowhere.
inline size_t last_separator(std::string_view path) { return path.find_last_of(kSeparators); }

/// Whether a path is the same in every folder.
inline bool is_absolute(std::string_view path) {
#if defined(_WIN32)
  if (path.size() > 2 && path[1] == ':') path.remove_prefix(2);
#endif
  return !path.empty() && kSeparators.find(path.front()) != std::string_view::npos;
}

/// Whether a name has what the system reads as another place than a folder's: a drive or a stream of a file.
inline bool names_a_place([[maybe_unused]] std::string_view name) {
#if defined(_WIN32)
  return name.find_first_of("\\:") != std::string_view::npos;
#else
  return false;
#endif
}

}  // namespace coracle::internal
