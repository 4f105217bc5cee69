// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "client/npy.h"
#include "client/tensor_json.h"
#include "fuzz/run_tensor.h"

namespace {

/// JSON as requests have it.
coracle::client::Tensor requested(const std::string& content) {
  coracle::internal::JsonDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(content.c_str());
  if (document.HasParseError()) coracle::client::fail(CORACLE_IO, "no JSON");
  return coracle::client::parse_tensor("fuzz", document);
}

}  // namespace

// The last byte tells the format and the input's type; any bytes before as a file of numbers in it, whose arrays are
// inputs of runs: results, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  constexpr coracle_dtype kTypes[] = {CORACLE_FLOAT32, CORACLE_INT64, CORACLE_UINT8, CORACLE_BOOL};
  if (size == 0) return 0;
  const uint8_t wanted = data[size - 1];
  const coracle_dtype dtype = kTypes[wanted / 4 % 4];
  const bool in_request = wanted >= 128;
  const std::string content(reinterpret_cast<const char*>(data), size - 1);
  try {
    switch (wanted % 4) {
      case 0:
        for (const auto& [name, array] : coracle::client::parse_npz("fuzz", content)) test::run_with(array);
        break;
      case 1:
        test::run_with(in_request ? requested(content) : coracle::client::parse_json("fuzz", content, dtype, "x"));
        break;
      case 2: test::run_with(coracle::client::tensor_of_bytes("fuzz", content, dtype, {-1, wanted / 16})); break;
      default:
        test::run_with(coracle::client::converted(
            "fuzz", coracle::client::tensor_of_bytes("fuzz", content, CORACLE_FLOAT16, {2, -1}), dtype));
    }
  } catch (const coracle::client::Error&) {
  } catch (const Error&) {
  }
  return 0;
}
