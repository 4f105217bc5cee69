// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/system/windows_headers.h"

namespace coracle::internal {

/// UTF-8 as Windows has texts. What is no UTF-8 becomes a name that no file has.
std::wstring wide_text(std::string_view utf8);
std::string utf8_text(std::wstring_view wide);

/// A command line that becomes these words again, by the rules of CommandLineToArgvW and of C's libraries.
std::wstring command_line_of(const std::vector<std::string>& words);

/// errno of what GetLastError() says.
void take_last_error();

}  // namespace coracle::internal
