// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "cli/failure.h"
#include "cli/input/data_file.h"
#include "fuzz/run_array.h"

// The last byte tells the format and the input's type; any bytes before as a file of numbers in it, whose arrays are
// inputs of runs: results, a Failure or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle;
  constexpr coracle_dtype kTypes[] = {CORACLE_FLOAT32, CORACLE_INT64, CORACLE_UINT8, CORACLE_BOOL};
  if (size == 0) return 0;
  const uint8_t wanted = data[size - 1];
  const coracle_dtype dtype = kTypes[wanted / 4 % 4];
  const std::string content(reinterpret_cast<const char*>(data), size - 1);
  try {
    switch (wanted % 4) {
      case 0:
        for (const auto& [name, array] : cli::parse_npz("fuzz", content)) test::run_with(array);
        break;
      case 1: test::run_with(cli::parse_json("fuzz", content, dtype, "x")); break;
      case 2: test::run_with(cli::parse_raw("fuzz", content, dtype, {-1, wanted / 16})); break;
      default: test::run_with(cli::converted("fuzz", cli::parse_raw("fuzz", content, CORACLE_FLOAT16, {2, -1}), dtype));
    }
  } catch (const cli::Failure&) {
  } catch (const Error&) {
  }
  return 0;
}
