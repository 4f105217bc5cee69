// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "model/params.h"

// Any bytes as a combined parameter file: tensors or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle;
  const std::vector<TensorInfo> declared{
      {.name = "a", .dtype = DType::kFloat32, .shape = {Shape::kUnknown, 3}, .lod_levels = 0},
      {.name = "b", .dtype = DType::kInt8, .shape = Shape::unknown_rank(), .lod_levels = 0},
      {.name = "c", .dtype = DType::kInt64, .shape = {}, .lod_levels = 0},
  };
  try {
    read_combined_parameters(FileBytes{.name = "fuzz", .owner = nullptr, .bytes = {data, size}}, declared);
  } catch (const Error&) {
  }
  return 0;
}
