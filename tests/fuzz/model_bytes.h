// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "model/byte_source.h"

/// How a model's two files are one input of a fuzz target: parameters, program, and at the end the size of the
/// parameters in four bytes, so that a cut or longer input is still mostly a program.
namespace coracle::internal::test {

struct ModelParts {
  FileBytes program;
  FileBytes params;
};

inline ModelParts split_model(std::span<const uint8_t> bytes) {
  uint32_t params = 0;
  const size_t end = bytes.size() - std::min(bytes.size(), sizeof(params));
  std::memcpy(&params, bytes.data() + end, bytes.size() - end);
  const size_t start = std::min<size_t>(params, end);
  return {{.name = "program", .owner = nullptr, .bytes = bytes.subspan(start, end - start)},
          {.name = "parameters", .owner = nullptr, .bytes = bytes.first(start)}};
}

inline std::string join_model(const std::string& program, const std::string& params) {
  const auto size = static_cast<uint32_t>(params.size());
  std::string out = params + program;
  out.append(reinterpret_cast<const char*>(&size), sizeof(size));
  return out;
}

}  // namespace coracle::internal::test
