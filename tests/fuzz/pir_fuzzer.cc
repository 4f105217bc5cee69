// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "model/import_pir.h"

// Any bytes as a PIR program without parameters: a graph or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle;
  try {
    const pir::Program program = pir::parse({.name = "fuzz", .owner = nullptr, .bytes = {data, size}});
    const ModelInfo info = describe(program);
    require_supported(info);
    if (info.parameters.empty()) import(program, info, {});
  } catch (const Error&) {
  }
  return 0;
}
