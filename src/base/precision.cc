// SPDX-License-Identifier: Apache-2.0
#include "base/precision.h"

#include <iterator>

namespace coracle::internal {
namespace {

constexpr std::string_view kPrecisionNames[] = {"strict", "default", "int8", "high", "tf32", "bf16", "fp16"};

}  // namespace

std::string_view name_of(Precision precision) { return kPrecisionNames[static_cast<size_t>(precision)]; }

std::optional<Precision> precision_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kPrecisionNames); ++i) {
    if (kPrecisionNames[i] == name) return static_cast<Precision>(i);
  }
  return std::nullopt;
}

std::span<const std::string_view> names_of(Precision /*precision*/) { return kPrecisionNames; }

}  // namespace coracle::internal
