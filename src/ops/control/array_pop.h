// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// A tensor array without its element `index` (negative: from the end), and that element.
struct ArrayPop {
  static constexpr const char* kName = "array_pop";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("input", "X")};
  static constexpr Port kOutputs[] = {out("array_out", "ArrayOut"), out("out", "Out")};
  static constexpr bool kAnyType = true;
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
  a.out(0) = a.take(0).own_array();
  std::vector<Tensor>& elements = a.out(0).elements();
  const auto i = index_from_front(op.index, static_cast<int64_t>(elements.size()), "attribute index", 0);
  copy_tensor(a.context(), written(elements[static_cast<size_t>(i)], static_cast<size_t>(i)), a.out(1));
  elements.erase(elements.begin() + i);
}

inline constexpr const OpSchema* array_pop_op = &kOpSchema<ArrayPop>;

}  // namespace coracle::internal
