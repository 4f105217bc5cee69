// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fuzz/model_bytes.h"
#include "fuzz/run_model.h"
#include "model/programdesc.h"
#include "model/programdesc_write.h"

namespace {

using namespace coracle::internal;

std::string written(const programdesc::Program& program) {
  std::vector<std::string_view> variables;
  std::vector<std::string_view> operators;
  for (const programdesc::Variable& v : program.blocks[0].variables) variables.push_back(v.bytes);
  for (const programdesc::Operator& o : program.blocks[0].operators) {
    operators.push_back(o.bytes);
    if (programdesc::with_inputs(o, [](const programdesc::Slot&) { return nullptr; }) != o.bytes) std::abort();
  }
  return programdesc::file_with(program, variables, operators);
}

/// What was read and is written can be read, and is then written as it is.
void write_again(const FileBytes& file) {
  const std::string once = written(programdesc::parse(file));
  try {
    const auto* bytes = reinterpret_cast<const uint8_t*>(once.data());
    if (written(programdesc::parse({.name = "once", .owner = nullptr, .bytes = {bytes, once.size()}})) != once) {
      std::abort();
    }
  } catch (const Error&) {
    std::abort();
  }
}

}  // namespace

// Any bytes as a ProgramDesc and its parameters, or as a file of Paddle Lite, written, imported, rewritten and run:
// results or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const test::ModelParts parts = test::split_model({data, size});
    if (!parts.program.bytes.empty() && parts.program.bytes[0] == '{') return 0;         // pir_fuzzer's
    const bool is_lite = parts.program.bytes.size() > 1 && parts.program.bytes[1] == 0;  // a file of Paddle Lite
    if (!is_lite) write_again(parts.program);
    const ModelSource source = ModelSource::in_memory(parts.program, parts.params);
    test::run_within_limits(Model::load(source, test::kFuzzModelOptions));
  } catch (const Error&) {
  }
  return 0;
}
