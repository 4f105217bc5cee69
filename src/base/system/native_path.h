// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace coracle::internal {

/// A path of the system. Texts are UTF-8 where it has wide ones, and any bytes elsewhere; what is no UTF-8 is there a
/// name that no file has.
inline std::filesystem::path native_path(std::string_view text) {
#if defined(_WIN32)
  try {
    return std::u8string_view(reinterpret_cast<const char8_t*>(text.data()), text.size());
  } catch (const std::system_error&) {
    return L"\xFFFD";
  }
#else
  return text;
#endif
}

/// The text that native_path() takes.
inline std::string path_text(const std::filesystem::path& path) {
#if defined(_WIN32)
  const std::u8string text = path.u8string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
#else
  return path.string();
#endif
}

}  // namespace coracle::internal
