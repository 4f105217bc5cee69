// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// The elements of a tensor array joined (or, with use_stack, stacked) on `axis`, and the size that each of them has on
/// that axis.
struct ArrayToTensor {
  static constexpr const char* kName = "array_to_tensor";
  static constexpr const char* kLegacy[] = {"tensor_array_to_tensor"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("out_index", "OutIndex")};
  static constexpr bool kAnyType = true;
  int axis = 0;
  bool use_stack = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("use_stack", use_stack);
  }
  friend bool operator==(const ArrayToTensor&, const ArrayToTensor&) = default;
};

inline void infer(const ArrayToTensor& op, InferArgs& a) {
  require_array(a, 0);
  Shape y = a.shape(0);
  if (y.rank_known() && op.use_stack) {
    y.insert(normalize_axis(op.axis, y.rank() + 1), Shape::kUnknown);
  } else if (y.rank_known()) {
    y[normalize_axis(op.axis, y.rank())] = Shape::kUnknown;
  }
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt32, Shape{Shape::kUnknown});
}

inline void reference(const ArrayToTensor& op, ReferenceArgs& a) {
  const std::vector<Tensor>& elements = a.in(0).elements();
  require(!elements.empty(), ErrorCode::kRunFailure, "a tensor array without elements cannot become a tensor");
  Shape y = elements[0].shape();
  const int axis = normalize_axis(op.axis, y.rank() + (op.use_stack ? 1 : 0));
  if (op.use_stack) y.insert(axis, 0);
  y[axis] = 0;
  std::vector<Tensor> parts;
  std::vector<const Tensor*> pointers;
  std::vector<int32_t> sizes;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Tensor& element = written(elements[i], i);
    Shape part = element.shape();
    if (op.use_stack && part.rank() + 1 == y.rank()) part.insert(axis, 1);
    Shape same = part;
    if (same.rank() == y.rank()) same[axis] = y[axis];
    require(same == y && element.dtype() == elements[0].dtype(), ErrorCode::kRunFailure, "element ", i,
            " of a tensor array is ", element.dtype(), element.shape(), ", the first is ", elements[0].dtype(),
            elements[0].shape());
    const Shape& own = element.shape();
    sizes.push_back(static_cast<int32_t>(axis < own.rank() ? own[axis] : 1));
    y[axis] += part[axis];
    parts.push_back(element.reshaped(part));
  }
  for (const Tensor& part : parts) pointers.push_back(&part);
  a.out(0) = a.make(elements[0].dtype(), y);
  join_tensors(a.context(), pointers, axis, a.out(0));
  if (a.wants(1)) a.out(1) = Tensor::of<int32_t>(a.context(), Shape{static_cast<int64_t>(sizes.size())}, sizes);
}

inline constexpr const OpSchema* array_to_tensor_op = &kOpSchema<ArrayToTensor>;

}  // namespace coracle::internal
