// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle {

/// One-element integer tensors as one row of int64: what a list of such tensors in a file stands for.
struct IntArray {
  static constexpr const char* kName = "int_array";
  static constexpr Port kInputs[] = {list_in("x", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  friend bool operator==(const IntArray&, const IntArray&) = default;
};

inline void infer(const IntArray&, InferArgs& a) {
  for (int i = 0; i < a.count(0); ++i) {
    require(!a.shape(0, i).known() || a.shape(0, i).count() == 1, "element ", i, " of a list of integers is ",
            a.shape(0, i), ", expected one element");
  }
  a.set(0, DType::kInt64, Shape{a.count(0)});
}

inline void reference(const IntArray&, ReferenceArgs& a) {
  for (int i = 0; i < a.count(0); ++i) a.out(0).data<int64_t>()[i] = a.in(0, i).integer(0);
}

inline constexpr const OpRow* int_array_op = &kOpRow<IntArray>;

}  // namespace coracle
