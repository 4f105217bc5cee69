// SPDX-License-Identifier: Apache-2.0
#include "serve/content_coding.h"

#include <zlib.h>

#include <algorithm>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kEither = 32 + MAX_WBITS;  // gzip or zlib, told by the first bytes
constexpr size_t kShortest = 1024;       // bytes that are worth it

}  // namespace

std::string decoded(std::string_view coding, std::string_view body, size_t limit) {
  if (coding == "identity") return std::string(body);
  if (coding != "gzip" && coding != "deflate" && coding != "x-gzip") {
    throw Failure(Code::kUnsupported,
                  "Content-Encoding '" + std::string(coding) + "' is not supported; use gzip, deflate or none");
  }
  z_stream stream{};
  if (inflateInit2(&stream, kEither) != Z_OK) throw Failure(Code::kUnavailable, "no memory to decompress a body");
  struct End {
    z_stream& stream;
    ~End() { inflateEnd(&stream); }
  } const end{stream};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    const size_t begin = out.size();
    out.resize(std::min(std::max(begin * 2, 4 * body.size() + 1024), limit + 1));
    if (out.size() == begin) break;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream.avail_out = static_cast<uInt>(out.size() - begin);
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() > limit) {
      throw Failure(Code::kTooLarge, "the decompressed body has more bytes than the limit of " + std::to_string(limit));
    }
    if (state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;
  }
  if (state != Z_STREAM_END || stream.avail_in != 0)
    throw Failure(Code::kInvalidArgument, "the body is not what Content-Encoding says, " + std::string(coding));
  return out;
}

std::string chosen_coding(std::string_view accepted, size_t bytes) {
  if (bytes < kShortest) return {};
  while (!accepted.empty()) {
    const size_t comma = std::min(accepted.find(','), accepted.size());
    std::string_view entry = accepted.substr(0, comma);
    accepted.remove_prefix(std::min(comma + 1, accepted.size()));
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    const std::string_view name = entry.substr(0, entry.find_first_of("; "));
    const size_t quality = entry.find("q=0");
    if (quality != std::string_view::npos && entry.find_first_of("123456789", quality) == std::string_view::npos)
      continue;
    if (name == "gzip" || name == "deflate") return std::string(name);
  }
  return {};
}

std::string encoded(std::string_view coding, std::string_view body) {
  z_stream stream{};
  const int bits = coding == "gzip" ? kGzip : MAX_WBITS;
  if (deflateInit2(&stream, 1, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Failure(Code::kUnavailable, "no memory to compress a body");
  std::string out(deflateBound(&stream, body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int state = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (state != Z_STREAM_END) throw Failure(Code::kInternal, "a body could not be compressed");
  return out;
}

}  // namespace coracle::serve
