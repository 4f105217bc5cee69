// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/sources.h"

#include <algorithm>

#include "base/deflated_text.h"
#include "base/error.h"

namespace coracle::internal {
extern const DeflatedText kGpuSources;  ///< made by pack_sources.cmake: name, line feed, text, byte 1 of each file
}

namespace coracle::internal::gpu {
namespace {

constexpr char kEnd = 1;

/// Empty where there is no such file.
std::string_view find(std::string_view all, std::string_view name) {
  while (!all.empty()) {
    const std::string_view file = all.substr(0, all.find(kEnd));
    if (file.starts_with(name) && file.substr(name.size()).starts_with('\n')) return file.substr(name.size() + 1);
    all.remove_prefix(file.size() + 1);
  }
  return {};
}

/// A file with those it includes (`#include "other.cl"`, on lines of their own) in their places; files are included
/// once by what needs them, without guards.
std::string expanded(std::string_view all, const Source& source) {
  constexpr std::string_view kInclude = "\n#include \"";
  constexpr std::string_view kExtension = ".cl\"";
  std::string_view rest = source.text.empty() ? find(all, source.name) : source.text;
  require(!rest.empty(), ErrorCode::kUnsupported, "there is no source kernels/", source.name, ".cl");
  std::string result = text("#line 1 \"", source.name, ".cl\"\n");
  int line = 1;
  for (size_t at = rest.find(kInclude); at != std::string_view::npos; at = rest.find(kInclude)) {
    const std::string_view before = rest.substr(0, at + 1);
    rest.remove_prefix(at + kInclude.size());
    const std::string_view other = rest.substr(0, rest.find(kExtension));
    rest.remove_prefix(other.size() + kExtension.size());
    line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    result += text(before, expanded(all, {other}), "\n#line ", line + 1, " \"", source.name, ".cl\"");
  }
  return result += rest;
}

}  // namespace

std::string with_prelude(const Source& source) {
  static const std::string& all = *new std::string(inflate_text(kGpuSources));
  return text(find(all, "prelude"), "\n", expanded(all, source));
}

}  // namespace coracle::internal::gpu
