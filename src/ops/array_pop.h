// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/arrays.h"

namespace coracle {

/// A tensor array without its element `index` (negative: from the end), and that element.
struct ArrayPop {
  static constexpr const char* kName = "array_pop";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("input", "X")};
  static constexpr Port kOutputs[] = {out("array_out", "ArrayOut"), out("out", "Out")};
  int index = -1;
  void attributes(AttributeVisitor& visit) { visit("index", index); }
  friend bool operator==(const ArrayPop&, const ArrayPop&) = default;
};

inline void infer(const ArrayPop&, InferArgs& a) {
  require_array(a, 0);
  a.out(0) = array_fact(a.dtype(0), a.shape(0));
  a.set(1, a.dtype(0), a.shape(0));
}

inline void reference(const ArrayPop& op, ReferenceArgs& a) {
  const std::vector<Tensor>& elements = a.in(0).elements();
  const auto i = index_from_front(op.index, static_cast<int64_t>(elements.size()), "attribute index", 0);
  a.out(0) = a.in(0).clone_array();
  a.out(0).elements().erase(a.out(0).elements().begin() + i);
  const Tensor& element = elements[static_cast<size_t>(i)];
  copy_tensor(written(element, static_cast<size_t>(i)), a.out(1));
}

inline constexpr const OpRow* array_pop_op = &kOpRow<ArrayPop>;

}  // namespace coracle
