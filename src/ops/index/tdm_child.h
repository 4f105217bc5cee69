// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/indices.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// The children of nodes x of a tree (tree-based deep match, of recommendation). Row n of tree_info [nodes,
/// 3 + child_nums] has of node n its item, its layer, its parent and its children; node 0 stands for none. child and
/// leaf_mask are x with another dimension of child_nums: the children (0 for a node without any), and whether each is
/// an item.
struct TdmChild {
  static constexpr const char* kName = "tdm_child";
  static constexpr const char* kLegacy[] = {"tdm_child"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("tree_info", "TreeInfo")};
  static constexpr Port kOutputs[] = {out("child", "Child"), out("leaf_mask", "LeafMask")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t child_nums = 0;
  DType dtype = DType::kInt32;
  void attributes(AttributeVisitor& visit) {
    visit("child_nums", child_nums);
    visit("dtype", dtype);
  }
  friend bool operator==(const TdmChild&, const TdmChild&) = default;
};

inline void infer(const TdmChild& op, InferArgs& a) {
  const auto is_index = [](DType type) { return type == DType::kInt32 || type == DType::kInt64; };
  require(is_index(a.dtype(0)) && is_index(a.dtype(1)), "x is ", a.dtype(0), " and tree_info ", a.dtype(1),
          ", expected int32 or int64");
  require(is_index(op.dtype), "dtype is ", op.dtype, ", expected int32 or int64");
  require(op.child_nums > 0 && op.child_nums < int64_t{1} << 40, "child_nums is ", op.child_nums,
          ", expected a positive number");
  const Shape& tree = a.shape(1);
  require(!tree.rank_known() || (tree.rank() == 2 && (tree[1] < 0 || tree[1] >= op.child_nums + 3)), "tree_info is ",
          tree, ", expected [nodes, 3 + ", op.child_nums, "]");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() < Shape::kMaxRank, "x is ", y, ", which has no room for another dimension");
    y.insert(y.rank(), op.child_nums);
  }
  a.set(0, op.dtype, y);
  a.set(1, op.dtype, y);
  share_lod(a, 1, 0);
}

inline void reference(const TdmChild& op, ReferenceArgs& a) {
  const Buffer<int64_t> x = a.integers(0);
  const Buffer<int64_t> tree = a.integers(1);
  const int64_t nodes = a.shape(1)[0];
  const int64_t width = a.shape(1)[1];
  Buffer<int64_t> children(a.context());
  Buffer<int64_t> items(a.context());
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t node = checked_index(x[i], nodes, "X", static_cast<int64_t>(i));
    const int64_t* row = tree.data() + node * width + 3;
    const bool has_children = node != 0 && row[0] != 0;
    for (int64_t k = 0; k < op.child_nums; ++k) {
      const int64_t child = has_children ? checked_index(row[k], nodes, "TreeInfo", node * width + 3 + k) : 0;
      children.push_back(child);
      items.push_back(has_children && tree[static_cast<size_t>(child * width)] != 0 ? 1 : 0);
    }
  }
  a.out(0).assign(a.context(), std::span<const int64_t>(children));
  a.out(1).assign(a.context(), std::span<const int64_t>(items));
}

inline constexpr const OpSchema* tdm_child_op = &kOpSchema<TdmChild>;

}  // namespace coracle::internal
