// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The sum of x * y along the last dimension.
struct Dot {
  static constexpr const char* kName = "dot";
  static constexpr const char* kLegacy[] = {"dot"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Dot&, const Dot&) = default;
};

inline void infer(const Dot&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(compatible(x, a.shape(1)), "x ", x, " and y ", a.shape(1), " have different shapes");
  Shape y = x.known() ? x : a.shape(1);
  if (y.rank_known()) {
    require(y.rank() == 1 || y.rank() == 2, "x has shape ", x, ", expected 1 or 2 dimensions");
    y.erase(y.rank() - 1);
  }
  a.set(0, promote(a.dtype(0), a.dtype(1)), y);
}

inline void reference(const Dot&, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = converted(a.context(), a.in(0), dtype);
  const Tensor y = converted(a.context(), a.in(1), dtype);
  const int64_t n = x.shape().back();
  visit_number(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    using Sum = Accumulator<T>;
    for (int64_t r = 0, rows = a.out(0).count(); r < rows; ++r) {
      Sum sum = 0;
      for (int64_t i = r * n; i < (r + 1) * n; ++i) {
        sum += static_cast<Sum>(x.data<T>()[i]) * static_cast<Sum>(y.data<T>()[i]);
      }
      a.out(0).data<T>()[r] = convert<T>(sum);
    }
  });
}

inline constexpr const OpSchema* dot_op = &kOpSchema<Dot>;

}  // namespace coracle::internal
