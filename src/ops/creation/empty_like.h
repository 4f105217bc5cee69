// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// A tensor of the shape of x whose elements may be anything; here zeros.
struct EmptyLike {
  static constexpr const char* kName = "empty_like";
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  std::optional<DType> dtype;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const EmptyLike&, const EmptyLike&) = default;
};

inline void infer(const EmptyLike& op, InferArgs& a) { a.set(0, op.dtype.value_or(a.dtype(0)), a.shape(0)); }

inline void reference(const EmptyLike&, ReferenceArgs& a) { fill(a.context(), a.out(0), 0.0, 0); }

inline constexpr const OpSchema* empty_like_op = &kOpSchema<EmptyLike>;

}  // namespace coracle::internal
