// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/unary.h"

namespace coracle {

/// out = max(x, 0)
struct Relu : UnaryOperator {
  static constexpr const char* kName = "relu";
  static constexpr const char* kLegacy[] = {"relu"};
  friend bool operator==(const Relu&, const Relu&) = default;
};

inline void infer(const Relu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Relu&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return x > 0 ? x : (x != x ? x : 0.0); });
}

inline constexpr const OpRow* relu_op = &kOpRow<Relu>;

}  // namespace coracle
