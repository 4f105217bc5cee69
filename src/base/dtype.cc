// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

namespace coracle {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  size_t size;
};

constexpr Row kRows[] = {
    {DType::kBool, "bool", 1},       {DType::kInt8, "int8", 1},           {DType::kUint8, "uint8", 1},
    {DType::kInt16, "int16", 2},     {DType::kInt32, "int32", 4},         {DType::kInt64, "int64", 8},
    {DType::kFloat16, "float16", 2}, {DType::kBfloat16, "bfloat16", 2},   {DType::kFloat32, "float32", 4},
    {DType::kFloat64, "float64", 8}, {DType::kComplex64, "complex64", 8}, {DType::kComplex128, "complex128", 16},
    {DType::kUnknown, "unknown", 0},
};

const Row& row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

size_t size_of(DType dtype) { return row(dtype).size; }

std::string_view name_of(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_of(std::string_view name) {
  for (const Row& r : kRows) {
    if (r.name == name && r.dtype != DType::kUnknown) return r.dtype;
  }
  return std::nullopt;
}

bool is_float(DType dtype) { return dtype >= DType::kFloat16 && dtype <= DType::kFloat64; }

bool is_integer(DType dtype) { return dtype >= DType::kInt8 && dtype <= DType::kInt64; }

bool is_complex(DType dtype) { return dtype == DType::kComplex64 || dtype == DType::kComplex128; }

}  // namespace coracle
