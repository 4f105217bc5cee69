// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/lines.h"

namespace coracle::internal {

/// out = x / norm with norm = sqrt(sum x^2 + epsilon) along axis
struct Norm {
  static constexpr const char* kName = "norm";
  static constexpr const char* kLegacy[] = {"norm"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("norm", "Norm")};
  int64_t axis = -1;
  double epsilon = 1e-10;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("epsilon", epsilon);
  }
  friend bool operator==(const Norm&, const Norm&) = default;
};

inline void infer(const Norm& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  require_axis(x, op.axis);
  Shape norm = x;
  if (x.rank_known() && !x.is_scalar()) norm[normalize_axis(op.axis, x.rank())] = 1;
  a.set(1, a.dtype(0), norm);
}

inline void reference(const Norm& op, ReferenceArgs& a) {
  const Lines lines(a.shape(0), op.axis);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    int64_t line = 0;
    lines.each(a.context(), [&](int64_t first) {
      double sum = op.epsilon;
      for (int64_t k = 0; k < lines.length; ++k) {
        const double v = static_cast<double>(x[first + k * lines.inner]);
        sum += v * v;
      }
      const double norm = std::sqrt(sum);
      for (int64_t k = 0; k < lines.length; ++k) {
        const int64_t at = first + k * lines.inner;
        a.out(0).data<T>()[at] = static_cast<T>(static_cast<double>(x[at]) / norm);
      }
      if (a.wants(1)) a.out(1).data<T>()[line] = static_cast<T>(norm);
      ++line;
    });
  });
}

inline constexpr const OpSchema* norm_op = &kOpSchema<Norm>;

}  // namespace coracle::internal
