// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/rank_table.h"

namespace coracle::internal {

/// What split_lod_tensor took apart by the same mask: the next sequence (row where there are no sequence offsets) of
/// in_true where the mask holds, else that of in_false.
struct MergeLodTensor {
  static constexpr const char* kName = "merge_lod_tensor";
  static constexpr const char* kLegacy[] = {"merge_lod_tensor", "merge_lod_tensor_infer"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("mask", "Mask"), in("in_true", "InTrue"),
                                     in("in_false", "InFalse")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t level = 0;
  void attributes(AttributeVisitor& visit) { visit("level", level); }
  friend bool operator==(const MergeLodTensor&, const MergeLodTensor&) = default;
};

inline void infer(const MergeLodTensor& op, InferArgs& a) {
  require(op.level == 0, ErrorCode::kUnsupported, "level ", op.level, " is not supported, expected 0");
  require(a.dtype(1) == DType::kBool, "the mask is ", a.dtype(1), ", expected bool");
  require_one_per_row(a.shape(1), "the mask");
  require(a.dtype(2) == a.dtype(3), "in_true is ", a.dtype(2), ", but in_false ", a.dtype(3));
  a.set(0, a.dtype(2), with_rows(a.shape(2), Shape::kUnknown));
}

inline void reference(const MergeLodTensor&, ReferenceArgs& a) {
  const Tensor* sources[] = {&a.in(3), &a.in(2)};
  const std::vector<int64_t> offsets[] = {unit_offsets(*sources[0]), unit_offsets(*sources[1])};
  size_t next[] = {0, 0};
  RowCollector rows(a.context(), a.in(2));
  for (int64_t i = 0, n = a.in(1).count(); i < n; ++i) {
    const bool from = a.in(1).data<bool>()[i];
    const size_t at = next[from]++;
    require(at + 1 < offsets[from].size(), ErrorCode::kRunFailure, from ? "in_true" : "in_false", " has ",
            offsets[from].size() - 1, " sequences or rows, the mask asks for more");
    rows.add(*sources[from], offsets[from][at], offsets[from][at + 1]);
    rows.end_sequence();
  }
  a.out(0) = rows.take(!sources[0]->lod().empty() || !sources[1]->lod().empty());
}

inline constexpr const OpSchema* merge_lod_tensor_op = &kOpSchema<MergeLodTensor>;

}  // namespace coracle::internal
