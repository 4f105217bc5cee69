// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "serve/failure.h"
#include "serve/pipeline.h"
#include "serve/yaml_json.h"
#include "support/temporary_folder.h"

// Any bytes as YAML, and as PaddleX's file of a pipeline: JSON and a pipeline that has models, or a Failure.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  static const coracle::internal::test::TemporaryFolder folder;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const coracle::internal::JsonDocument document = parse_yaml("fuzz", text);
    coracle::internal::json_text([&](coracle::internal::JsonWriter& json) { document.Accept(json); });
  } catch (const Failure&) {
    return 0;
  }
  try {
    const PipelineConfig config = read_pipeline(folder.write("pipeline.yaml", text));
    if (pipeline_kind(config.name).name != config.name) std::abort();
  } catch (const Failure&) {
  }
  return 0;
}
