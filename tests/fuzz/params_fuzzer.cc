// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "model/params.h"

// Any bytes as a combined parameter file: tensors or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  const std::vector<TensorInfo> declared{
      {.name = "a", .dtype = DType::kFloat32, .shape = {Shape::kUnknown, 3}, .lod_levels = 0},
      {.name = "b", .dtype = DType::kInt8, .shape = Shape::unknown_rank(), .lod_levels = 0},
      {.name = "c", .dtype = DType::kInt64, .shape = {}, .lod_levels = 0},
  };
  try {
    // Every byte of what was read is there.
    for (const Tensor& t :
         read_combined_parameters(FileBytes{.name = "fuzz", .owner = nullptr, .bytes = {data, size}}, declared)) {
      const auto* bytes = static_cast<const volatile unsigned char*>(t.raw());
      for (size_t i = 0; i < t.bytes(); ++i) static_cast<void>(bytes[i]);
    }
  } catch (const Error&) {
  }
  return 0;
}
