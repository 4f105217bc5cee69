// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/rank_table.h"

namespace coracle::internal {

/// The sequences of x (its rows where it has no sequence offsets) for which the mask holds, and the others.
struct SplitLodTensor {
  static constexpr const char* kName = "split_lod_tensor";
  static constexpr const char* kLegacy[] = {"split_lod_tensor"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("mask", "Mask")};
  static constexpr Port kOutputs[] = {out("out_true", "OutTrue"), out("out_false", "OutFalse")};
  int64_t level = 0;
  void attributes(AttributeVisitor& visit) { visit("level", level); }
  friend bool operator==(const SplitLodTensor&, const SplitLodTensor&) = default;
};

inline void infer(const SplitLodTensor& op, InferArgs& a) {
  require(op.level == 0, ErrorCode::kUnsupported, "level ", op.level, " is not supported, expected 0");
  require(a.dtype(1) == DType::kBool, "the mask is ", a.dtype(1), ", expected bool");
  require_one_per_row(a.shape(1), "the mask");
  a.set(0, a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
  a.set(1, a.dtype(0), with_rows(a.shape(0), Shape::kUnknown));
}

inline void reference(const SplitLodTensor&, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const std::vector<int64_t> offsets = unit_offsets(x);
  require(a.in(1).count() + 1 == static_cast<int64_t>(offsets.size()), ErrorCode::kRunFailure, "the mask is ",
          a.shape(1), ", but x has ", offsets.size() - 1, " sequences or rows");
  for (const bool chosen : {true, false}) {
    const int port = chosen ? 0 : 1;
    if (!a.wants(port)) continue;
    RowCollector rows(a.context(), x);
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (a.in(1).data<bool>()[i] != chosen) continue;
      rows.add(x, offsets[i], offsets[i + 1]);
      rows.end_sequence();
    }
    a.out(port) = rows.take(!x.lod().empty());
  }
}

inline constexpr const OpSchema* split_lod_tensor_op = &kOpSchema<SplitLodTensor>;

}  // namespace coracle::internal
