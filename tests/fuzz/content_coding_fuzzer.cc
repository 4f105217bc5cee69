// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "serve/content_coding.h"
#include "serve/failure.h"

// Any bytes as a body with a coding, which the last byte chooses: a body within the limit, which its coding keeps, or a
// Failure; and as what a client says it accepts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  if (size == 0) return 0;
  constexpr size_t kLimit = size_t{1} << 20;
  static constexpr const char* kCodings[] = {"gzip", "deflate", "identity", "br"};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size - 1);
  try {
    const std::string body = decoded(kCodings[data[size - 1] % 4], bytes, kLimit);
    if (body.size() > kLimit) std::abort();
    for (const char* coding : {"gzip", "deflate"}) {
      if (decoded(coding, encoded(coding, body), kLimit) != body) std::abort();
    }
  } catch (const Failure&) {
  }
  chosen_coding(std::string(bytes), kLimit);
  return 0;
}
