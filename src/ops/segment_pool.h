// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/grouped.h"

namespace coracle {

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

inline void reference(const SegmentPool& op, ReferenceArgs& a) {
  const Buffer<int64_t> ids = integers_of(a.in(1));
  for (size_t i = 0; i < ids.size(); ++i) {
    require(ids[i] >= (i == 0 ? 0 : ids[i - 1]), ErrorCode::kRunFailure, "segment ids are not in order: ", ids[i]);
  }
  Shape y = a.shape(0);
  const int64_t width = y.count(1, y.rank());
  y[0] = ids.empty() ? 0 : checked_add(ids.back(), 1);
  RowGroups groups(op.pooltype, y[0], width);
  const Buffer<double> x = doubles_of(a.in(0));
  for (size_t i = 0; i < ids.size(); ++i) groups.add(ids[i], x.data() + static_cast<int64_t>(i) * width);
  a.out(0) = Tensor::make(a.in(0).dtype(), y);
  a.out(0).assign(groups.finish());
  if (!a.wants(1)) return;
  a.out(1) = Tensor::make(a.in(0).dtype(), Shape{y[0], 1});
  a.out(1).assign(groups.counts());
}

inline constexpr const OpRow* segment_pool_op = &kOpRow<SegmentPool>;

}  // namespace coracle
