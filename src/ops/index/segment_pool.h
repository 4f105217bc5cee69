// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/creation/filling.h"
#include "ops/index/grouped.h"

namespace coracle::internal {

/// Row i of the result gathers the rows of x whose segment id is i; ids are in order.
struct SegmentPool {
  static constexpr const char* kName = "segment_pool";
  static constexpr const char* kLegacy[] = {"segment_pool"};
  static constexpr Port kInputs[] = {in("x", "X"), in("segment_ids", "SegmentIds")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("summed_ids", "SummedIds")};
  GroupReduction pooltype = GroupReduction::kSum;
  void attributes(AttributeVisitor& visit) { visit("pooltype", pooltype); }
  friend bool operator==(const SegmentPool&, const SegmentPool&) = default;
};

inline void infer(const SegmentPool&, InferArgs& a) {
  Shape y = a.shape(0);
  require(is_integer(a.dtype(1)), "segment ids are ", a.dtype(1), ", expected integers");
  if (y.rank_known()) {
    require(y.rank() > 0, "x is a scalar, expected rows");
    const bool fits = y[0] < 0 || !a.shape(1).known() || a.shape(1).count() == y[0];
    require(fits, "x is ", y, ", but segment ids ", a.shape(1));
    y[0] = Shape::kUnknown;
  }
  a.set(0, a.dtype(0), y);
  a.set(1, a.dtype(0), Shape{Shape::kUnknown, 1});
}

/// The ids are in order: one segment is gathered at a time, and nothing but the results grows with the ids, which are
/// the file's or the caller's choice.
inline void reference(const SegmentPool& op, ReferenceArgs& a) {
  const Tensor& ids = a.in(1);
  const int64_t n = ids.count();
  int64_t last = -1;
  LoopCheck check(a.context());
  for (int64_t i = 0; i < n; ++i) {
    check.step();
    const int64_t id = ids.integer(i);
    require(id >= std::max<int64_t>(last, 0), ErrorCode::kRunFailure, "segment ids are not in order: ", id);
    last = id;
  }
  const DType dtype = a.in(0).dtype();
  Shape y = a.shape(0);
  const int64_t width = y.count(1, y.rank());
  y[0] = n == 0 ? 0 : checked_add(last, 1);
  a.out(0) = a.make(dtype, y);
  fill(a.context(), a.out(0), 0, 0);
  if (a.wants(1)) {
    a.out(1) = a.make(dtype, Shape{y[0], 1});
    fill(a.context(), a.out(1), 0, 0);
  }
  const auto row_of = [&](Tensor& result, int64_t id, int64_t columns) {
    const auto at = static_cast<size_t>(id * columns) * size_of(dtype);
    return Tensor::borrow(dtype, Shape{columns}, result.data<char>() + at);
  };
  const Buffer<double> x = a.doubles(0);
  for (int64_t i = 0; i < n;) {
    const int64_t id = ids.integer(i);
    RowGroups segment(a.context(), op.pooltype, 1, width);
    for (; i < n && ids.integer(i) == id; ++i) {
      check.step(width);
      segment.add(0, x.data() + i * width);
    }
    row_of(a.out(0), id, width).assign(a.context(), segment.finish());
    if (a.wants(1)) row_of(a.out(1), id, 1).assign(a.context(), segment.counts());
  }
}

inline constexpr const OpSchema* segment_pool_op = &kOpSchema<SegmentPool>;

}  // namespace coracle::internal
