// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/number_class.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = true where x is not a number
struct Isnan : UnaryOperator {
  static constexpr const char* kName = "isnan";
  static constexpr const char* kLegacy[] = {"isnan_v2"};
  static constexpr LodRule kLod = LodRule::kNone;
  friend bool operator==(const Isnan&, const Isnan&) = default;
};

inline void infer(const Isnan&, InferArgs& a) { a.set(0, DType::kBool, a.shape(0)); }

inline void reference(const Isnan&, ReferenceArgs& a) {
  reference_class_of_numbers(
      a, [](double x) { return std::isnan(x); }, false);
}

inline constexpr const OpSchema* isnan_op = &kOpSchema<Isnan>;

}  // namespace coracle::internal
