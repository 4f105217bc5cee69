// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/creation/filling.h"

namespace coracle::internal {

/// A tensor of one number and a fixed shape, but for one dimension that is taken from the operand.
struct FullBatchSizeLike {
  static constexpr const char* kName = "full_batch_size_like";
  static constexpr const char* kLegacy[] = {"fill_constant_batch_size_like"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  Ints shape;
  double value = 0.0;
  int input_dim_idx = 0;
  int output_dim_idx = 0;
  void attributes(AttributeVisitor& visit) {
    visit("dtype", dtype);
    visit("shape", shape);
    visit("value", value);
    visit("input_dim_idx", input_dim_idx);
    visit("output_dim_idx", output_dim_idx);
  }
  friend bool operator==(const FullBatchSizeLike&, const FullBatchSizeLike&) = default;
};

inline void infer(const FullBatchSizeLike& op, InferArgs& a) {
  Shape y(op.shape);
  require(op.output_dim_idx >= 0 && op.output_dim_idx < y.rank(), "output_dim_idx is ", op.output_dim_idx,
          " for shape ", y);
  const Shape& x = a.shape(0);
  y[op.output_dim_idx] = Shape::kUnknown;
  if (x.rank_known()) {
    require(op.input_dim_idx >= 0 && op.input_dim_idx < x.rank(), "input_dim_idx is ", op.input_dim_idx, " for ", x);
    y[op.output_dim_idx] = x[op.input_dim_idx];
    if (const Fact& f = a.in(0); f.lod != nullptr && op.input_dim_idx == 0 && !f.lod->empty()) {
      y[op.output_dim_idx] = static_cast<int64_t>(f.lod->back().size()) - 1;
    }
  }
  a.set(0, op.dtype, y);
}

inline void reference(const FullBatchSizeLike& op, ReferenceArgs& a) {
  fill(a.context(), a.out(0), op.value, whole(op.value));
}

inline constexpr const OpSchema* full_batch_size_like_op = &kOpSchema<FullBatchSizeLike>;

}  // namespace coracle::internal
