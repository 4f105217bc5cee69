// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/common/indices.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// The full sequences of a beam search: ids and parents are [time, batch, beam]; from each beam at the last step the
/// parents lead back to the first.
struct GatherTree {
  static constexpr const char* kName = "gather_tree";
  static constexpr const char* kLegacy[] = {"gather_tree"};
  static constexpr Port kInputs[] = {in("ids", "Ids"), in("parents", "Parents")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const GatherTree&, const GatherTree&) = default;
};

inline void infer(const GatherTree&, InferArgs& a) {
  require(is_integer(a.dtype(0)) && is_integer(a.dtype(1)), "ids are ", a.dtype(0), " and parents ", a.dtype(1),
          ", expected integers");
  a.set(0, a.dtype(0), met(met(a.shape(0), a.shape(1)), Shape::filled(3, Shape::kUnknown)));
}

inline void reference(const GatherTree&, ReferenceArgs& a) {
  const Shape& shape = a.shape(0);
  const int64_t beams = shape[2];
  const int64_t step = shape[1] * beams;
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (int64_t column = 0; shape[0] > 0 && column < step; ++column) {
      const int64_t batch = column / beams * beams;
      int64_t beam = column % beams;
      for (int64_t t = shape[0] - 1; t >= 0; --t) {
        check.step();
        const int64_t from = t * step + batch + beam;
        a.out(0).data<T>()[t * step + column] = a.in(0).data<T>()[from];
        if (t != 0) beam = checked_index(a.in(1).integer(from), beams, "Parents", from);
      }
    }
  });
}

inline constexpr const OpSchema* gather_tree_op = &kOpSchema<GatherTree>;

}  // namespace coracle::internal
