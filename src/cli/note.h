// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <utility>

namespace coracle::cli {

/// Writes to standard error. Where that fails (closed, a full disk, a pipe that nobody reads) the text is lost and the
/// program goes on: its exit code still tells how it ended.
template <typename... T>
void note(fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace coracle::cli
