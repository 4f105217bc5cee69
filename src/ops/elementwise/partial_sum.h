// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/arithmetic.h"
#include "ops/movement/partial.h"

namespace coracle::internal {

/// The sum of the same columns of every matrix.
struct PartialSum : PartialOperator {
  static constexpr const char* kName = "partial_sum";
  static constexpr const char* kLegacy[] = {"partial_sum"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const PartialSum&, const PartialSum&) = default;
};

inline void infer(const PartialSum& op, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  Shape y = partial_shape(a);
  if (y[1] >= 0) y[1] = partial_columns(op, y[1]).second;
  a.set(0, dtype, y);
}

inline void reference(const PartialSum& op, ReferenceArgs& a) {
  const int64_t columns = a.shape(0)[1];
  const int64_t start = partial_columns(op, columns).first;
  const int64_t length = partial_columns(op, columns).second;
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = a.out(0).count(); i < n; ++i) {
      const int64_t at = i / length * columns + start + i % length;
      T sum = a.in(0).data<T>()[at];
      for (int k = 1; k < a.count(0); ++k) sum = wrapped_sum(sum, a.in(0, k).data<T>()[at]);
      a.out(0).data<T>()[i] = sum;
    }
  });
}

inline constexpr const OpSchema* partial_sum_op = &kOpSchema<PartialSum>;

}  // namespace coracle::internal
