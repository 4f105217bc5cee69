// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// The parts of a tensor that array_to_tensor would join to it: as many as `x` has elements, each with the size that
/// the element there has on `axis` (with use_stack: a slice without that axis).
struct TensorToArray {
  static constexpr const char* kName = "tensor_to_array";
  static constexpr Port kInputs[] = {in("x", "X"), in("out_grad", "Out@GRAD")};
  static constexpr Port kOutputs[] = {out("x_grad", "X@GRAD")};
  static constexpr bool kAnyType = true;
  int axis = 0;
  bool use_stack = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("use_stack", use_stack);
  }
  friend bool operator==(const TensorToArray&, const TensorToArray&) = default;
};

inline void infer(const TensorToArray&, InferArgs& a) {
  require_array(a, 0);
  a.out(0) = array_fact(a.dtype(1));
}

inline void reference(const TensorToArray& op, ReferenceArgs& a) {
  const std::vector<Tensor>& elements = a.in(0).elements();
  const Tensor& whole = a.in(1);
  const int axis = normalize_axis(op.axis, whole.shape().rank());
  const Around around(whole.shape(), axis);
  a.out(0) = Tensor::array(whole.dtype());
  int64_t begin = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Shape& element = written(elements[i], i).shape();
    const int64_t size = op.use_stack || axis >= element.rank() ? 1 : element[axis];
    require(begin + size <= around.dim, ErrorCode::kRunFailure, "a tensor ", whole.shape(), " has ", around.dim,
            " elements on axis ", axis, ", element ", i, " of the tensor array ends at ", begin + size);
    Shape part = whole.shape();
    part[axis] = size;
    Tensor made = a.make(whole.dtype(), part);
    copy_rows_out(a.context(), whole, made, around.outer, size * around.inner, around.dim * around.inner,
                  begin * around.inner);
    if (op.use_stack) part.erase(axis);
    a.out(0).elements().push_back(made.reshaped(part));
    begin += size;
  }
  require(begin == around.dim, ErrorCode::kRunFailure, "a tensor ", whole.shape(), " has ", around.dim,
          " elements on axis ", axis, ", those of the tensor array have ", begin);
}

inline constexpr const OpSchema* tensor_to_array_op = &kOpSchema<TensorToArray>;

}  // namespace coracle::internal
