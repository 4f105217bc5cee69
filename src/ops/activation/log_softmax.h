// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/softmax_rows.h"

namespace coracle::internal {

/// x - log(sum(exp(x))) along an axis, where no x counts as less than the largest - 64.
struct LogSoftmax : SoftmaxOperator {
  static constexpr const char* kName = "log_softmax";
  static constexpr const char* kLegacy[] = {"log_softmax"};
  friend bool operator==(const LogSoftmax&, const LogSoftmax&) = default;
};

inline void infer(const LogSoftmax& op, InferArgs& a) { infer_softmax(op, a); }

inline void reference(const LogSoftmax& op, ReferenceArgs& a) {
  reference_softmax(op, a, false, [](double exponent, double sum) { return exponent - std::log(sum); });
}

inline constexpr const OpSchema* log_softmax_op = &kOpSchema<LogSoftmax>;

}  // namespace coracle::internal
