// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "model/load.h"

// Any bytes as a program without parameters: a graph or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle;
  try {
    load_model(ModelSource::in_memory({.name = "", .owner = nullptr, .bytes = {data, size}}, {}));
  } catch (const Error&) {
  }
  return 0;
}
