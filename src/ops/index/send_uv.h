// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/index/grouped.h"

namespace coracle::internal {

/// What passes along each edge: of the row of x at its source and the row of y at its target.
struct SendUv {
  static constexpr const char* kName = "send_uv";
  static constexpr const char* kLegacy[] = {"graph_send_uv"};
  static constexpr Port kInputs[] = {in("x", "x"), in("y", "y"), in("src_index", "src_index"),
                                     in("dst_index", "dst_index")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  EdgeMessage message_op = EdgeMessage::kAdd;
  void attributes(AttributeVisitor& visit) { visit("message_op", message_op); }
  friend bool operator==(const SendUv&, const SendUv&) = default;
};

inline void infer(const SendUv&, InferArgs& a) {
  check_edges(a, 2, 3);
  const int64_t edges = a.shape(2).known() ? a.shape(2).count() : Shape::kUnknown;
  a.set(0, a.dtype(0), message_shape(a.shape(0), a.shape(1), edges));
}

inline void reference(const SendUv& op, ReferenceArgs& a) {
  Buffer<double> all(a.context());
  all.reserve(static_cast<size_t>(a.out(0).count()));
  const Buffer<int64_t> targets = a.integers(3);
  const int64_t width = a.out(0).shape().count(1, a.out(0).shape().rank());
  each_message(a.context(), a.in(0), a.in(1), op.message_op, a.in(2).integers(a.context()), targets, "dst_index",
               [&](size_t, const double* row) { all.insert(all.end(), row, row + width); });
  a.out(0).assign(a.context(), std::span<const double>(all));
}

inline constexpr const OpSchema* send_uv_op = &kOpSchema<SendUv>;

}  // namespace coracle::internal
