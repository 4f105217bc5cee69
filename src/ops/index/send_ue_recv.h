// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/index/grouped.h"

namespace coracle::internal {

/// Row i of the result gathers what passes along the edges whose target is i: of the row of x at the source and row e
/// of y for edge e.
struct SendUeRecv {
  static constexpr const char* kName = "send_ue_recv";
  static constexpr const char* kLegacy[] = {"graph_send_ue_recv"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), in("src_index", "Src_index"),
                                     in("dst_index", "Dst_index"), shape_in("out_size", "out_size", "Out_size")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("dst_count", "Dst_count")};
  EdgeMessage message_op = EdgeMessage::kAdd;
  GroupReduction reduce_op = GroupReduction::kSum;
  void attributes(AttributeVisitor& visit) {
    visit("message_op", message_op);
    visit("reduce_op", reduce_op);
  }
  friend bool operator==(const SendUeRecv&, const SendUeRecv&) = default;
};

inline void infer(const SendUeRecv&, InferArgs& a) {
  check_edges(a, 2, 3);
  a.set(0, a.dtype(0), message_shape(a.shape(0), a.shape(1), Shape::kUnknown));
  a.set(1, DType::kInt32, Shape{Shape::kUnknown});
}

inline void reference(const SendUeRecv& op, ReferenceArgs& a) {
  const Buffer<int64_t> targets = a.integers(3);
  std::vector<int64_t> edges(targets.size());
  for (size_t e = 0; e < edges.size(); ++e) edges[e] = static_cast<int64_t>(e);
  const Shape y = message_shape(a.shape(0), a.shape(1), gathered_rows(a, 4));
  RowGroups groups(a.context(), op.reduce_op, y[0], y.count(1, y.rank()));
  each_message(a.context(), a.in(0), a.in(1), op.message_op, a.in(2).integers(a.context()), edges, "the edges",
               [&](size_t e, const double* row) {
                 groups.add(index_from_front(targets[e], y[0], "Dst_index", static_cast<int64_t>(e)), row);
               });
  a.out(0) = a.make(a.in(0).dtype(), y);
  a.out(0).assign(a.context(), groups.finish());
  if (!a.wants(1)) return;
  a.out(1) = a.make(DType::kInt32, Shape{y[0]});
  a.out(1).assign(a.context(), groups.counts());
}

inline constexpr const OpSchema* send_ue_recv_op = &kOpSchema<SendUeRecv>;

}  // namespace coracle::internal
