// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "base/long_loop.h"
#include "graph/op.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// Running sums along an axis (of the flattened operand if `flatten`); `exclusive` leaves the element itself out
/// (not of a tensor of one), `reverse` runs from the end.
struct Cumsum {
  static constexpr const char* kName = "cumsum";
  static constexpr const char* kLegacy[] = {"cumsum"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("axis", "axis", "AxisTensor", DType::kInt64)};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool flatten = false;
  bool exclusive = false;
  bool reverse = false;
  void attributes(AttributeVisitor& visit) {
    visit("flatten", flatten);
    visit("exclusive", exclusive);
    visit("reverse", reverse);
  }
  friend bool operator==(const Cumsum&, const Cumsum&) = default;
};

inline void infer(const Cumsum& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), op.flatten ? Shape{x.known() ? x.count() : Shape::kUnknown} : x);
}

inline void reference(const Cumsum& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  int64_t outer = 1;
  int64_t n = x.count();
  int64_t inner = 1;
  if (!op.flatten && x.rank() > 0) {
    const int axis = normalize_axis(a.has(1) ? a.in(1).integer(0) : -1, x.rank());
    outer = x.count(0, axis);
    n = x[axis];
    inner = x.count(axis + 1, x.rank());
  }
  visit_number(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    using Sum = Accumulator<T>;
    LoopCheck check(a.context());
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        Sum sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          check.step();
          const int64_t at = (o * n + (op.reverse ? n - 1 - k : k)) * inner + i;
          const Sum before = sum;
          sum += static_cast<Sum>(a.in(0).data<T>()[at]);
          a.out(0).data<T>()[at] = convert<T>(op.exclusive && x.count() > 1 ? before : sum);
        }
      }
    }
  });
}

inline constexpr const OpSchema* cumsum_op = &kOpSchema<Cumsum>;

}  // namespace coracle::internal
