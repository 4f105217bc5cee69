// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/common/lines.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// The most extreme element so far along axis and where it stands; of equals the last, what is not a number wins. Base
/// of cummax and cummin.
struct CumulativeExtreme {
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("out", "out"), out("indices", "indices")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t axis = -1;
  DType dtype = DType::kInt64;  ///< of the indices
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("dtype", dtype);
  }
  friend bool operator==(const CumulativeExtreme&, const CumulativeExtreme&) = default;
};

inline void infer_cumulative_extreme(const CumulativeExtreme& op, InferArgs& a) {
  require_axis(a.shape(0), op.axis);
  require(op.dtype == DType::kInt32 || op.dtype == DType::kInt64, "dtype is ", op.dtype, ", expected int32 or int64");
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, op.dtype, a.shape(0));
  share_lod(a, 1, 0);
}

/// reaches(now, top): `now` is at least as extreme as the most extreme element so far.
template <class Reaches>
void reference_cumulative_extreme(const CumulativeExtreme& op, ReferenceArgs& a, const Reaches& reaches) {
  const Lines lines(a.shape(0), op.axis);
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    LoopCheck check(a.context());
    lines.each(a.context(), [&](int64_t first) {
      int64_t best = 0;
      for (int64_t k = 0; k < lines.length; ++k) {
        check.step();
        const T now = x[first + k * lines.inner];
        const T top = x[first + best * lines.inner];
        if (now != now || (top == top && reaches(now, top))) best = k;
        const int64_t at = first + k * lines.inner;
        a.out(0).data<T>()[at] = x[first + best * lines.inner];
        if (!a.wants(1)) continue;
        if (op.dtype == DType::kInt32) {
          a.out(1).data<int32_t>()[at] = static_cast<int32_t>(best);
        } else {
          a.out(1).data<int64_t>()[at] = best;
        }
      }
    });
  });
}

}  // namespace coracle::internal
