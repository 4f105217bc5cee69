// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "fuzz/model_bytes.h"
#include "fuzz/run_model.h"

// Any bytes as a ProgramDesc and its parameters, imported, rewritten and run: results or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle;
  try {
    const test::ModelParts parts = test::split_model({data, size});
    if (!parts.program.bytes.empty() && parts.program.bytes[0] == '{') return 0;  // pir_fuzzer's
    const ModelSource source = ModelSource::in_memory(parts.program, parts.params);
    test::run_within_limits(Model::load(source, test::kFuzzModelOptions));
  } catch (const Error&) {
  }
  return 0;
}
