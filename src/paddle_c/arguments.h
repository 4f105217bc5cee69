// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "paddle_c/handles.h"

/// Arguments of the C interface as those of the C++ one. All throw.
namespace coracle::paddle_c {

inline std::vector<std::string> names_of(const char** names, size_t count, const char* argument) {
  std::vector<std::string> out;
  if (count != 0) given(names, argument);
  for (size_t i = 0; i < count; ++i) out.emplace_back(text(names[i], argument));
  return out;
}

inline std::unordered_set<std::string> set_of(const char** names, size_t count, const char* argument) {
  const std::vector<std::string> list = names_of(names, count, argument);
  return {list.begin(), list.end()};
}

inline paddle_infer::PrecisionType precision_of(PD_PrecisionType precision) {
  switch (precision) {
    case PD_PRECISION_FLOAT32: return paddle_infer::PrecisionType::kFloat32;
    case PD_PRECISION_INT8: return paddle_infer::PrecisionType::kInt8;
    case PD_PRECISION_HALF: return paddle_infer::PrecisionType::kHalf;
    default: throw Misuse("there is no PD_PrecisionType " + std::to_string(precision));
  }
}

}  // namespace coracle::paddle_c
