// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// A list of integers as a 1-D tensor.
struct FullIntArray {
  static constexpr const char* kName = "full_int_array";
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints value;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) {
    visit("value", value);
    visit("dtype", dtype);
  }
  friend bool operator==(const FullIntArray&, const FullIntArray&) = default;
};

inline void infer(const FullIntArray& op, InferArgs& a) {
  a.set(0, op.dtype, Shape{static_cast<int64_t>(op.value.size())});
}

inline void reference(const FullIntArray& op, ReferenceArgs& a) {
  visit_real(op.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (size_t i = 0; i < op.value.size(); ++i) a.out(0).data<T>()[i] = static_cast<T>(op.value[i]);
  });
}

inline constexpr const OpSchema* full_int_array_op = &kOpSchema<FullIntArray>;

}  // namespace coracle::internal
