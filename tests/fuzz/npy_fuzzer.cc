// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "client/npy.h"
#include "fuzz/run_tensor.h"

// Any bytes as a NumPy file, whose array is the input of a run: results, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  try {
    test::run_with(coracle::client::parse_npy("fuzz", {reinterpret_cast<const char*>(data), size}));
  } catch (const coracle::client::Error&) {
  } catch (const Error&) {
  }
  return 0;
}
