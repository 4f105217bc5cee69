// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/transpose.h"

namespace coracle::internal {

/// An image in another layout, put in by Paddle around operators that are faster on the other one. Paddle keeps the
/// layout with each tensor, and what is fed has NCHW: a transfer back from NHWC changes nothing where none to NHWC came
/// before it.
struct TransferLayout {
  static constexpr const char* kName = "transfer_layout";
  static constexpr const char* kLegacy[] = {"transfer_layout"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l);
  friend bool operator==(const TransferLayout&, const TransferLayout&) = default;
};

namespace transfer_layout_detail {

/// Paddle's numbers of layouts.
enum : int64_t { kNhwc = 1, kNchw = 2, kOneDnn = 5 };

inline Ints to_nhwc() { return {0, 2, 3, 1}; }
inline Ints to_nchw() { return {0, 3, 1, 2}; }

/// True if `value` was made of one that was brought to NHWC.
inline bool is_nhwc(const Graph& graph, ValueId value) {
  while (true) {
    const NodeId producer = graph.value(value).producer;
    if (producer == kNoNode) return false;
    const auto& node = graph.node(producer);
    if (const auto* transpose = node.op.as<Transpose>()) {
      if (transpose->perm == to_nhwc()) return true;
      if (transpose->perm == to_nchw()) return false;
    }
    if (node.inputs.empty() || node.input(0) == kNoValue) return false;
    value = node.input(0);
  }
}

}  // namespace transfer_layout_detail

inline void TransferLayout::lower(Lowering& l) {
  using namespace transfer_layout_detail;
  const auto source = l.attribute<int64_t>("src_layout", -1);
  const auto target = l.attribute<int64_t>("dst_layout", -1);
  const ValueId x = l.input("X");
  const bool between = (source == kNhwc && target == kNchw) || (source == kNchw && target == kNhwc);
  // That of oneDNN is one of memory alone.
  const bool same = source == target || source == kOneDnn || target == kOneDnn;
  require(between || same, ErrorCode::kUnsupported, "transfer_layout from layout ", source, " to ", target,
          " is not supported, expected 1 (NHWC) and 2 (NCHW)");
  const bool changes = between && is_nhwc(l.graph(), x) != (target == kNhwc);
  l.bind("Out", changes ? l.add(Transpose{target == kNhwc ? to_nhwc() : to_nchw()}, {{x}}) : x);
}

inline constexpr const OpSchema* transfer_layout_op = &kOpSchema<TransferLayout>;

}  // namespace coracle::internal
