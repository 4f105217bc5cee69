// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/sources.h"

#include <zlib.h>

#include <new>

#include "base/error.h"

namespace coracle::opencl {
namespace {

constexpr char kEnd = 1;

std::string unpack() {
  std::string all(kSourcesSize, '\0');
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = const_cast<Bytef*>(kPackedSources);
  stream.avail_in = static_cast<uInt>(kPackedSourcesSize);
  stream.next_out = reinterpret_cast<Bytef*>(all.data());
  stream.avail_out = static_cast<uInt>(all.size());
  const int end = ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  if (end != Z_STREAM_END || stream.avail_out != 0) throw std::bad_alloc();
  return all;
}

/// Empty where there is no such file.
std::string_view find(std::string_view all, std::string_view name) {
  while (!all.empty()) {
    const std::string_view file = all.substr(0, all.find(kEnd));
    if (file.starts_with(name) && file.substr(name.size()).starts_with('\n')) return file.substr(name.size() + 1);
    all.remove_prefix(file.size() + 1);
  }
  return {};
}

}  // namespace

std::string source_text(std::string_view name) {
  static const std::string& all = *new std::string(unpack());
  const std::string_view own = find(all, name);
  require(!own.empty(), ErrorCode::kUnsupported, "there is no source kernels/", name, ".cl");
  return text(find(all, "prelude"), "\n#line 1 \"", name, ".cl\"\n", own);
}

}  // namespace coracle::opencl
