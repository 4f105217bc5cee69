// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "serve/failure.h"
#include "serve/lod_json.h"

// Any bytes as the parameter lod: offsets, which are the same when they are written and read again, or a Failure.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  try {
    const coracle::Lod lod = parse_lod(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    std::string text = "[";
    for (const auto& level : lod) {
      text += text.size() > 1 ? ",[" : "[";
      for (const size_t offset : level) text.append(text.back() == '[' ? "" : ",").append(std::to_string(offset));
      text += ']';
    }
    if (parse_lod(text + ']', "fuzz") != lod) std::abort();
  } catch (const Failure&) {
  }
  return 0;
}
