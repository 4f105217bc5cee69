// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// The indices of all elements that are not zero, one row of int64 for each.
struct Nonzero {
  static constexpr const char* kName = "nonzero";
  static constexpr const char* kLegacy[] = {"where_index"};
  static constexpr Port kInputs[] = {in("condition", "Condition")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Nonzero&, const Nonzero&) = default;
};

/// The positions of the elements of `t` that are not zero.
inline Buffer<int64_t> nonzero_positions(const RunContext& context, const Tensor& t) {
  Buffer<int64_t> found(context);
  visit_real(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = t.count(); i < n; ++i) {
      if (t.data<T>()[i] != T(0)) found.push_back(i);
    }
  });
  return found;
}

inline void infer(const Nonzero&, InferArgs& a) {
  const Shape& x = a.shape(0);
  a.set(0, DType::kInt64, Shape{Shape::kUnknown, x.rank_known() ? x.rank() : Shape::kUnknown});
}

inline void reference(const Nonzero&, ReferenceArgs& a) {
  const Buffer<int64_t> found = nonzero_positions(a.context(), a.in(0));
  const ElementWalk all = row_major(a.shape(0));
  a.out(0) = a.make(DType::kInt64, Shape{static_cast<int64_t>(found.size()), all.rank});
  int64_t* to = a.out(0).data<int64_t>();
  for (int64_t at : found) {
    for (int d = 0; d < all.rank; ++d) *to++ = at / all.step[d] % all.size[d];
  }
}

inline constexpr const OpSchema* nonzero_op = &kOpSchema<Nonzero>;

}  // namespace coracle::internal
