// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// out = whether x has no elements, a scalar
struct IsEmpty {
  static constexpr const char* kName = "is_empty";
  static constexpr const char* kLegacy[] = {"is_empty"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const IsEmpty&, const IsEmpty&) = default;
};

inline void infer(const IsEmpty&, InferArgs& a) { a.set(0, DType::kBool, Shape{}); }

inline void reference(const IsEmpty&, ReferenceArgs& a) { a.out(0).data<bool>()[0] = a.in(0).count() == 0; }

inline constexpr const OpSchema* is_empty_op = &kOpSchema<IsEmpty>;

}  // namespace coracle::internal
