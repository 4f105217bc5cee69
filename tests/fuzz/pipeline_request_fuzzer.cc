// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serve/pipeline_request.h"

// Any bytes as the body of a request to PaddleX's pipelines, with a picture in base64 and a field of each type: their
// values, or a PipelineFailure; its message, and the name that the request gives itself, stand in JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  using Type = PipelineField::Type;
  using Use = PipelineField::Use;
  static constexpr std::array<PipelineField, 7> kFields = {{{"file", Type::kText, Use::kNeeded},
                                                            {"texts", Type::kTexts},
                                                            {"visualize", Type::kFlag},
                                                            {"fileType", Type::kWhole},
                                                            {"threshold", Type::kNumber},
                                                            {"refused", Type::kAny, Use::kRefused},
                                                            {"onlyFalse", Type::kFlag, Use::kOnlyFalse}}};
  constexpr int64_t kMaxPixels = int64_t{1} << 12;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  HttpResponse response = pipeline_message(200, log_id_of(body), 0, "");
  try {
    const PipelineRequest request(body, kFields);
    request.flag("visualize");
    request.whole("fileType");
    request.number("threshold");
    const coracle::vision::Image image = request.picture("file", kMaxPixels);
    if (int64_t{image.height} * image.width > kMaxPixels) std::abort();
  } catch (const PipelineFailure& failure) {
    response = pipeline_message(failure.status(), log_id_of(body), 1, failure.what());
  }
  coracle::internal::JsonDocument answer;
  answer.Parse<rapidjson::kParseValidateEncodingFlag>(response.body.data(), response.body.size());
  if (answer.HasParseError()) std::abort();
  return 0;
}
