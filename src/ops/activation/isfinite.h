// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/number_class.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = true where x is a finite number
struct Isfinite : UnaryOperator {
  static constexpr const char* kName = "isfinite";
  static constexpr const char* kLegacy[] = {"isfinite_v2"};
  static constexpr LodRule kLod = LodRule::kNone;
  friend bool operator==(const Isfinite&, const Isfinite&) = default;
};

inline void infer(const Isfinite&, InferArgs& a) { a.set(0, DType::kBool, a.shape(0)); }

inline void reference(const Isfinite&, ReferenceArgs& a) {
  reference_class_of_numbers(
      a, [](double x) { return std::isfinite(x); }, true);
}

inline constexpr const OpSchema* isfinite_op = &kOpSchema<Isfinite>;

}  // namespace coracle::internal
