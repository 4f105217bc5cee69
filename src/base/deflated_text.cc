// SPDX-License-Identifier: Apache-2.0
#include "base/deflated_text.h"

#include <zlib.h>

#include <new>

namespace coracle::internal {

std::string inflate_text(const DeflatedText& text) {
  std::string all(text.size, '\0');
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = const_cast<Bytef*>(text.bytes);
  stream.avail_in = static_cast<uInt>(text.deflated);
  stream.next_out = reinterpret_cast<Bytef*>(all.data());
  stream.avail_out = static_cast<uInt>(all.size());
  const int end = ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  if (end != Z_STREAM_END || stream.avail_out != 0) throw std::bad_alloc();
  return all;
}

}  // namespace coracle::internal
