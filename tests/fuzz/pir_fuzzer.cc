// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "fuzz/model_bytes.h"
#include "fuzz/run_model.h"
#include "model/import_pir.h"
#include "model/pir_write.h"

// Any bytes as a PIR program and its parameters, written, imported, rewritten and run: results or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  try {
    const test::ModelParts parts = test::split_model({data, size});
    const pir::Program program = pir::parse(parts.program);
    describe(program);
    const std::string_view file(reinterpret_cast<const char*>(parts.program.bytes.data()), parts.program.bytes.size());
    const pir::FileText text = pir::file_text(file);
    for (const pir::Operation& o : program.main.operations) {
      if (o.operands.empty()) continue;
      if (pir::with_operands(text.operations.at(o.index), [](size_t) { return std::nullopt; }) !=
          text.operations[o.index]) {
        std::abort();
      }
    }
    const ModelSource source = ModelSource::in_memory(parts.program, parts.params);
    test::run_within_limits(Model::load(source, test::kFuzzModelOptions));
  } catch (const Error&) {
  }
  return 0;
}
