// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// The number of elements of the operand, a scalar.
struct Numel {
  static constexpr const char* kName = "numel";
  static constexpr const char* kLegacy[] = {"size"};
  static constexpr Port kInputs[] = {in("x", "Input")};
  static constexpr Port kOutputs[] = {out("size", "Out")};
  friend bool operator==(const Numel&, const Numel&) = default;
};

inline void infer(const Numel&, InferArgs& a) {
  a.set(0, DType::kInt64, Shape{});
  if (a.shape(0).known()) a.out(0).value = std::make_shared<const Tensor>(Tensor::scalar(a.shape(0).count()));
}

inline void reference(const Numel&, ReferenceArgs& a) { a.out(0).data<int64_t>()[0] = a.in(0).count(); }

inline constexpr const OpSchema* numel_op = &kOpSchema<Numel>;

}  // namespace coracle::internal
