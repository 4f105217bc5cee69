// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "cli/failure.h"
#include "cli/input/npy.h"
#include "fuzz/run_array.h"

// Any bytes as a NumPy file, whose array is the input of a run: results, a Failure or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle;
  try {
    test::run_with(cli::parse_npy("fuzz", {reinterpret_cast<const char*>(data), size}));
  } catch (const cli::Failure&) {
  } catch (const Error&) {
  }
  return 0;
}
