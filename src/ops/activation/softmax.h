// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/softmax_rows.h"

namespace coracle::internal {

/// exp(x) / sum(exp(x)) along an axis, where no x counts as less than the largest - 64.
struct Softmax : SoftmaxOperator {
  static constexpr const char* kName = "softmax";
  static constexpr const char* kLegacy[] = {"softmax"};
  friend bool operator==(const Softmax&, const Softmax&) = default;
};

inline void infer(const Softmax& op, InferArgs& a) { infer_softmax(op, a); }

inline void reference(const Softmax& op, ReferenceArgs& a) {
  reference_softmax(op, a, true, [](double exponent, double sum) { return std::exp(exponent) / sum; });
}

inline constexpr const OpSchema* softmax_op = &kOpSchema<Softmax>;

}  // namespace coracle::internal
