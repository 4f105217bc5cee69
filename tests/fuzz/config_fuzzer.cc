// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "serve/ensemble_plan.h"
#include "serve/failure.h"
#include "serve/model_config.h"
#include "serve/text_proto.h"

// Any bytes as a config.pbtxt: fields, a configuration that can be shown, the plan of an ensemble, or a Failure.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    parse_text_proto(text, "fuzz");
  } catch (const Failure&) {
  }
  try {
    const ModelConfig config = parse_model_config(text, "fuzz");
    config_json(config);
    plan_of(config);
  } catch (const Failure&) {
  }
  return 0;
}
