// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "serve/failure.h"
#include "serve/picture_request.h"

// Any bytes as a request with pictures, a line with the query, one with the Content-Type and the body: pictures that
// lie in the body one behind the other, or a Failure.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = [&text] {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string first(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return first;
  };
  HttpRequest request;
  request.query = line();
  request.headers.emplace_back("Content-Type", line());
  request.body = std::make_shared<const std::string>(text);
  try {
    const PictureRequest asked = parse_picture_request(request);
    const char* at = request.body->data();
    for (const PicturePart& part : asked.pictures) {
      if (part.content.data() < at) std::abort();
      at = part.content.data() + part.content.size();
    }
    if (at > request.body->data() + request.body->size() || asked.pictures.empty()) std::abort();
  } catch (const Failure&) {
  }
  return 0;
}
