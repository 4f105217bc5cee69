// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "vision/description.h"
#include "vision/yaml.h"

// Any bytes as an inference.yml: a description or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::vision;
  constexpr size_t kMostBytes = 8192;
  if (size > kMostBytes) return 0;
  try {
    parse_description("fuzz/inference.yml",
                      *Yaml::parse("fuzz/inference.yml", {reinterpret_cast<const char*>(data), size}));
  } catch (const Error&) {
  }
  return 0;
}
