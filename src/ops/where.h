// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/common/expanding.h"

namespace coracle {

/// Elements of x where the condition holds, of y elsewhere; all three broadcast.
struct Where {
  static constexpr const char* kName = "where";
  static constexpr const char* kLegacy[] = {"where"};
  static constexpr Port kInputs[] = {in("condition", "Condition"), in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Where&, const Where&) = default;
};

inline void infer(const Where&, InferArgs& a) {
  a.set(0, promote(a.dtype(1), a.dtype(2)), broadcast(broadcast(a.shape(1), a.shape(2)), a.shape(0)));
}

inline void reference(const Where&, ReferenceArgs& a) {
  Tensor& to = a.out(0);
  const Tensor x = converted(a.in(1), to.dtype());
  const Tensor y = converted(a.in(2), to.dtype());
  const Tensor condition = converted(a.in(0), DType::kBool);
  Tensor mask = Tensor::make(DType::kBool, to.shape());
  Tensor other = Tensor::make(to.dtype(), to.shape());
  gather_elements(condition, broadcast_steps(condition.shape(), to.shape()), mask);
  gather_elements(x, broadcast_steps(x.shape(), to.shape()), to);
  gather_elements(y, broadcast_steps(y.shape(), to.shape()), other);
  const size_t element = size_of(to.dtype());
  const bool* take_x = mask.data<bool>();
  for (int64_t i = 0, n = to.count(); i < n; ++i) {
    if (take_x[i]) continue;
    const size_t at = static_cast<size_t>(i) * element;
    for (size_t b = 0; b < element; ++b) to.data<char>()[at + b] = other.data<char>()[at + b];
  }
}

inline constexpr const OpRow* where_op = &kOpRow<Where>;

}  // namespace coracle
