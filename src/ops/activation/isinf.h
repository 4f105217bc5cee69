// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/number_class.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = true where x is infinite
struct Isinf : UnaryOperator {
  static constexpr const char* kName = "isinf";
  static constexpr const char* kLegacy[] = {"isinf_v2"};
  static constexpr LodRule kLod = LodRule::kNone;
  friend bool operator==(const Isinf&, const Isinf&) = default;
};

inline void infer(const Isinf&, InferArgs& a) { a.set(0, DType::kBool, a.shape(0)); }

inline void reference(const Isinf&, ReferenceArgs& a) {
  reference_class_of_numbers(
      a, [](double x) { return std::isinf(x); }, false);
}

inline constexpr const OpSchema* isinf_op = &kOpSchema<Isinf>;

}  // namespace coracle::internal
