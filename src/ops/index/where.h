// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ops/common/binary.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// Elements of x where the condition holds, of y elsewhere; all three broadcast.
struct Where {
  static constexpr const char* kName = "where";
  static constexpr const char* kLegacy[] = {"where"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("condition", "Condition"), in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Where&, const Where&) = default;
};

inline void infer(const Where&, InferArgs& a) {
  a.set(0, promote(a.dtype(1), a.dtype(2)), broadcast(broadcast(a.shape(1), a.shape(2)), a.shape(0)));
  share_lod(a, 0, 1);
}

/// out = x where the condition holds, else y; all three broadcast to out and take its type.
inline void choose(const RunContext& context, const Tensor& condition, const Tensor& x, const Tensor& y, Tensor& to) {
  const Tensor holds = converted(context, condition, DType::kBool);
  const Tensor from_x = converted(context, x, to.dtype());
  const Tensor from_y = converted(context, y, to.dtype());
  Tensor mask = Tensor::make(context, DType::kBool, to.shape());
  Tensor other = Tensor::make(context, to.dtype(), to.shape());
  gather_elements(context, holds, broadcast_steps(holds.shape(), to.shape()), mask);
  gather_elements(context, from_x, broadcast_steps(from_x.shape(), to.shape()), to);
  gather_elements(context, from_y, broadcast_steps(from_y.shape(), to.shape()), other);
  const size_t element = size_of(to.dtype());
  const bool* take_x = mask.data<bool>();
  for (int64_t i = 0, n = to.count(); i < n; ++i) {
    const size_t at = static_cast<size_t>(i) * element;
    if (!take_x[i]) std::memcpy(to.data<char>() + at, other.data<char>() + at, element);
  }
}

inline void reference(const Where&, ReferenceArgs& a) { choose(a.context(), a.in(0), a.in(1), a.in(2), a.out(0)); }

inline constexpr const OpSchema* where_op = &kOpSchema<Where>;

}  // namespace coracle::internal
