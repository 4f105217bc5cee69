// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "coracle/coracle.hpp"
#include "fuzz/served_model.h"
#include "serve/failure.h"
#include "serve/infer_json.h"
#include "serve/paddle_model.h"

// Any bytes as the body of an inference request, JSON, JSON with binary tensors behind it or raw; the last two bytes
// are Inference-Header-Content-Length, all ones being none. Tensors that lie in the body or own
// their elements, or a Failure.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  static PaddleModel model("m", 1, test::model_folder(), ModelConfig(), /*has_file=*/false, ServingDefaults());
  if (size < 2) return 0;
  constexpr size_t kNone = 0xFFFF;
  const size_t length = data[size - 2] + size_t{data[size - 1]} * 256;
  const auto body = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size - 2);
  try {
    const InferCall call = parse_infer(model, body, length == kNone ? std::nullopt : std::optional<size_t>(length));
    for (const InferInput& input : call.request.inputs) {
      const auto* const bytes = static_cast<const char*>(input.data);
      if (input.owner == body && (bytes < body->data() || bytes + input.bytes > body->data() + body->size()))
        std::abort();
    }
  } catch (const Failure&) {
  } catch (const coracle::Exception&) {
  }
  return 0;
}
