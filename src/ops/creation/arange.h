// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/convert.h"
#include "base/long_loop.h"
#include "graph/lowering.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// start, start + step, ... up to but without end.
struct Arange {
  static constexpr const char* kName = "arange";
  static constexpr const char* kLegacy[] = {"range"};
  static constexpr Port kInputs[] = {{.name = "start", .slot = "Start", .shape_input = true},
                                     {.name = "end", .slot = "End", .shape_input = true},
                                     {.name = "step", .slot = "Step", .shape_input = true}};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  std::optional<DType> dtype;  ///< that of start where none is named
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype, "no such attribute"); }
  friend bool operator==(const Arange&, const Arange&) = default;
};

inline void infer(const Arange& op, InferArgs& a) {
  const DType dtype = op.dtype.value_or(a.dtype(0));
  const std::optional<double> start = a.number(0);
  const std::optional<double> end = a.number(1);
  const std::optional<double> step = a.number(2);
  int64_t count = Shape::kUnknown;
  if (start && end && step) {
    require(*step != 0, "step is 0");
    const double steps = std::ceil((*end - *start) / *step);
    require(!(steps >= 9e15), "there would be ", steps, " elements");
    count = steps > 0 ? position(steps) : 0;
  }
  a.set(0, dtype, Shape{count});
}

inline void reference(const Arange&, ReferenceArgs& a) {
  visit_real(a.out(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    if constexpr (std::is_integral_v<T>) {
      const int64_t start = a.in(0).integer(0);
      const int64_t step = a.in(2).integer(0);
      for (int64_t i = 0, n = a.out(0).count(); i < n; ++i) {
        check.step();
        a.out(0).data<T>()[i] = convert<T>(wrapped_sum(start, wrapped_product(i, step)));
      }
    } else {
      const double start = a.in(0).number(0);
      const double step = a.in(2).number(0);
      for (int64_t i = 0, n = a.out(0).count(); i < n; ++i) {
        check.step();
        a.out(0).data<T>()[i] = convert<T>(start + static_cast<double>(i) * step);
      }
    }
  });
}

inline constexpr const OpSchema* arange_op = &kOpSchema<Arange>;

}  // namespace coracle::internal
