// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/index/grouped.h"

namespace coracle::internal {

/// Row i of the result gathers the rows of x at the sources of the edges whose target is i.
struct SendURecv {
  static constexpr const char* kName = "send_u_recv";
  static constexpr const char* kLegacy[] = {"graph_send_recv"};
  static constexpr Port kInputs[] = {in("x", "X"), in("src_index", "Src_index"), in("dst_index", "Dst_index"),
                                     shape_in("out_size", "out_size", "Out_size")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("dst_count", "Dst_count")};
  GroupReduction reduce_op = GroupReduction::kSum;
  void attributes(AttributeVisitor& visit) { visit("reduce_op", reduce_op); }
  friend bool operator==(const SendURecv&, const SendURecv&) = default;
};

inline void infer(const SendURecv&, InferArgs& a) {
  check_edges(a, 1, 2);
  Shape y = a.shape(0);
  require(!y.rank_known() || y.rank() > 0, "x is a scalar, expected rows");
  if (y.rank_known()) y[0] = Shape::kUnknown;
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt32, Shape{Shape::kUnknown});
}

inline void reference(const SendURecv& op, ReferenceArgs& a) {
  Shape y = a.shape(0);
  const int64_t width = y.count(1, y.rank());
  const int64_t rows = y[0];
  y[0] = gathered_rows(a, 3);
  const Buffer<int64_t> sources = a.integers(1);
  const Buffer<int64_t> targets = a.integers(2);
  RowGroups groups(a.context(), op.reduce_op, y[0], width);
  const Buffer<double> x = a.doubles(0);
  for (size_t e = 0; e < sources.size(); ++e) {
    const auto edge = static_cast<int64_t>(e);
    groups.add(index_from_front(targets[e], y[0], "Dst_index", edge),
               x.data() + index_from_front(sources[e], rows, "Src_index", edge) * width);
  }
  a.out(0) = a.make(a.in(0).dtype(), y);
  a.out(0).assign(a.context(), groups.finish());
  if (!a.wants(1)) return;
  a.out(1) = a.make(DType::kInt32, Shape{y[0]});
  a.out(1).assign(a.context(), groups.counts());
}

inline constexpr const OpSchema* send_u_recv_op = &kOpSchema<SendURecv>;

}  // namespace coracle::internal
