// SPDX-License-Identifier: Apache-2.0
// What fmt::format and fmt::print end in, compiled once for the program: Debian has it in a shared library alone, and
// the program may run where there is no such library.
#define FMT_HEADER_ONLY
#include <fmt/core.h>

#include <cstdio>
#include <string>

namespace coracle::cli {

// An inline function whose address is kept has a definition, which other units are linked with.
extern std::string (*const format_text)(fmt::string_view, fmt::format_args);
extern void (*const print_text)(fmt::string_view, fmt::format_args);
extern void (*const print_text_to)(std::FILE*, fmt::string_view, fmt::format_args);
std::string (*const format_text)(fmt::string_view, fmt::format_args) = fmt::vformat;
void (*const print_text)(fmt::string_view, fmt::format_args) = fmt::vprint;
void (*const print_text_to)(std::FILE*, fmt::string_view, fmt::format_args) = fmt::vprint;

}  // namespace coracle::cli
