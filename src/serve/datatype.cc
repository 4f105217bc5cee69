// SPDX-License-Identifier: Apache-2.0
#include "serve/datatype.h"

#include <utility>

namespace coracle::serve {
namespace {

constexpr std::pair<coracle_dtype, std::string_view> kNames[] = {
    {CORACLE_BOOL, "BOOL"},   {CORACLE_UINT8, "UINT8"},  {CORACLE_INT8, "INT8"},      {CORACLE_INT16, "INT16"},  {CORACLE_INT32, "INT32"},
    {CORACLE_INT64, "INT64"}, {CORACLE_FLOAT16, "FP16"}, {CORACLE_BFLOAT16, "BF16"}, {CORACLE_FLOAT32, "FP32"}, {CORACLE_FLOAT64, "FP64"},
};

}  // namespace

std::string_view datatype_name(coracle_dtype dtype) {
  for (const auto& [type, name] : kNames) {
    if (type == dtype) return name;
  }
  return {};
}

std::optional<coracle_dtype> datatype_named(std::string_view name) {
  for (const auto& [type, known] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::string datatype_names() {
  std::string names;
  for (const auto& [type, name] : kNames) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

}  // namespace coracle::serve
