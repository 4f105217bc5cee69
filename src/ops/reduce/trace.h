// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/creation/diagonals.h"
#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// The sums of the diagonals `offset` of axes axis1 and axis2.
struct Trace {
  static constexpr const char* kName = "trace";
  static constexpr const char* kLegacy[] = {"trace"};
  static constexpr Port kInputs[] = {in("x", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t offset = 0;
  int64_t axis1 = 0;
  int64_t axis2 = 1;
  void attributes(AttributeVisitor& visit) {
    visit("offset", offset);
    visit("axis1", axis1);
    visit("axis2", axis2);
  }
  friend bool operator==(const Trace&, const Trace&) = default;
};

inline void infer(const Trace& op, InferArgs& a) {
  Shape y = diagonal_shape(a.shape(0), op.axis1, op.axis2, op.offset);
  if (y.rank_known()) y.erase(y.rank() - 1);
  a.set(0, a.dtype(0), y);
}

inline void reference(const Trace& op, ReferenceArgs& a) {
  const ElementWalk steps = diagonal_steps(a.shape(0), op.axis1, op.axis2, op.offset);
  const int64_t n = steps.size[steps.rank - 1];
  visit_number(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    using Sum = Accumulator<T>;
    const T* x = a.in(0).data<T>();
    for (int64_t r = 0, rows = a.out(0).count(); r < rows; ++r) {
      int64_t at = steps.start;
      int64_t rest = r;
      for (int d = steps.rank - 2; d >= 0; --d) {
        at += rest % steps.size[d] * steps.step[d];
        rest /= steps.size[d];
      }
      Sum sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += static_cast<Sum>(x[at + i * steps.step[steps.rank - 1]]);
      a.out(0).data<T>()[r] = convert<T>(sum);
    }
  });
}

inline constexpr const OpSchema* trace_op = &kOpSchema<Trace>;

}  // namespace coracle::internal
