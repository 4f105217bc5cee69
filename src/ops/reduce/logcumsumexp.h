// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/lines.h"

namespace coracle::internal {

/// Logarithms of the running sums of e^x along axis (of the flattened operand if `flatten`).
struct Logcumsumexp {
  static constexpr const char* kName = "logcumsumexp";
  static constexpr const char* kLegacy[] = {"logcumsumexp"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t axis = -1;
  bool flatten = false;
  bool exclusive = false;
  bool reverse = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("flatten", flatten);
    visit("exclusive", exclusive);
    visit("reverse", reverse);
  }
  friend bool operator==(const Logcumsumexp&, const Logcumsumexp&) = default;
};

inline void infer(const Logcumsumexp& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  if (!op.flatten) require_axis(x, op.axis);
  a.set(0, a.dtype(0), op.flatten ? Shape{x.known() ? x.count() : Shape::kUnknown} : x);
}

inline void reference(const Logcumsumexp& op, ReferenceArgs& a) {
  const Lines lines = op.flatten ? Lines(a.in(0).count()) : Lines(a.shape(0), op.axis);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    lines.each(a.context(), [&](int64_t first) {
      double sum = -std::numeric_limits<double>::infinity();
      for (int64_t k = 0; k < lines.length; ++k) {
        const int64_t at = first + (op.reverse ? lines.length - 1 - k : k) * lines.inner;
        const double before = sum;
        const double x = static_cast<double>(a.in(0).data<T>()[at]);
        const double high = std::max(sum, x);
        const double low = std::min(sum, x);
        sum = std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
        a.out(0).data<T>()[at] = static_cast<T>(op.exclusive && a.in(0).count() > 1 ? before : sum);
      }
    });
  });
}

inline constexpr const OpSchema* logcumsumexp_op = &kOpSchema<Logcumsumexp>;

}  // namespace coracle::internal
