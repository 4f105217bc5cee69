// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "ops/common/binary.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// The elements of x where the mask holds, in order; both broadcast.
struct MaskedSelect {
  static constexpr const char* kName = "masked_select";
  static constexpr const char* kLegacy[] = {"masked_select"};
  static constexpr Port kInputs[] = {in("x", "X"), in("mask", "Mask")};
  static constexpr Port kOutputs[] = {out("out", "Y")};
  friend bool operator==(const MaskedSelect&, const MaskedSelect&) = default;
};

inline void infer(const MaskedSelect&, InferArgs& a) {
  broadcast(a.shape(0), a.shape(1));
  a.set(0, a.dtype(0), Shape{Shape::kUnknown});
}

inline void reference(const MaskedSelect&, ReferenceArgs& a) {
  const Shape shape = broadcast(a.shape(0), a.shape(1));
  const Tensor holds = converted(a.context(), a.in(1), DType::kBool);
  Tensor mask = a.make(DType::kBool, shape);
  Tensor x = a.make(a.in(0).dtype(), shape);
  gather_elements(a.context(), holds, broadcast_steps(holds.shape(), shape), mask);
  gather_elements(a.context(), a.in(0), broadcast_steps(a.shape(0), shape), x);
  const size_t element = size_of(x.dtype());
  const std::span<const bool> take = mask.values<bool>();
  a.out(0) = a.make(x.dtype(), Shape{std::count(take.begin(), take.end(), true)});
  char* to = a.out(0).data<char>();
  for (size_t i = 0; i < take.size(); ++i) {
    if (!take[i]) continue;
    std::memcpy(to, x.data<char>() + i * element, element);
    to += element;
  }
}

inline constexpr const OpSchema* masked_select_op = &kOpSchema<MaskedSelect>;

}  // namespace coracle::internal
