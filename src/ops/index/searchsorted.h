// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/long_loop.h"
#include "ops/common/binary.h"

namespace coracle::internal {

/// Where each value would be put into its ascending row: before equal elements, or with `right` behind them. One row
/// for all values, or as many as the values have.
struct Searchsorted {
  static constexpr const char* kName = "searchsorted";
  static constexpr const char* kLegacy[] = {"searchsorted"};
  static constexpr Port kInputs[] = {in("sorted_sequence", "SortedSequence"), in("values", "Values")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool out_int32 = false;
  bool right = false;
  void attributes(AttributeVisitor& visit) {
    visit("out_int32", out_int32);
    visit("right", right);
  }
  friend bool operator==(const Searchsorted&, const Searchsorted&) = default;
};

inline void infer(const Searchsorted& op, InferArgs& a) {
  const Shape& rows = a.shape(0);
  const Shape& values = a.shape(1);
  require(!rows.rank_known() || rows.rank() > 0, "sorted_sequence is a scalar");
  if (rows.rank_known() && values.rank_known() && rows.rank() > 1) {
    Shape expected = values;
    require(rows.rank() == values.rank(), "sorted_sequence is ", rows, " and values ", values);
    expected[values.rank() - 1] = rows.back();
    require(compatible(expected, rows), "sorted_sequence is ", rows, " and values ", values);
  }
  a.set(0, op.out_int32 ? DType::kInt32 : DType::kInt64, values);
}

inline void reference(const Searchsorted& op, ReferenceArgs& a) {
  const DType dtype = promote(a.in(0).dtype(), a.in(1).dtype());
  const Tensor rows = converted(a.context(), a.in(0), dtype);
  const Tensor values = converted(a.context(), a.in(1), dtype);
  const int64_t width = rows.shape().back();
  const int64_t per_row = rows.shape().rank() == 1 ? std::max<int64_t>(values.count(), 1) : values.shape().back();
  visit_real(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (int64_t i = 0, n = values.count(); i < n; ++i) {
      check.step(16);
      const T* begin = rows.data<T>() + i / per_row * width;
      const T value = values.data<T>()[i];
      // A value that is not a number stands behind all others.
      const T* at = value != value ? begin + width
                    : op.right     ? std::upper_bound(begin, begin + width, value)
                                   : std::lower_bound(begin, begin + width, value);
      if (op.out_int32) {
        a.out(0).data<int32_t>()[i] = static_cast<int32_t>(at - begin);
      } else {
        a.out(0).data<int64_t>()[i] = at - begin;
      }
    }
  });
}

inline constexpr const OpSchema* searchsorted_op = &kOpSchema<Searchsorted>;

}  // namespace coracle::internal
