// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "serve/failure.h"
#include "serve/model_config.h"
#include "serve/text_proto.h"

// Any bytes as a config.pbtxt: fields, and a configuration that can be shown, or a Failure.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    parse_text_proto(text, "fuzz");
  } catch (const Failure&) {
  }
  try {
    config_json(parse_model_config(text, "fuzz"));
  } catch (const Failure&) {
  }
  return 0;
}
