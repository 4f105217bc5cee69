// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// Ones of the shape of x, of its type unless one is named.
struct OnesLike {
  static constexpr const char* kName = "ones_like";
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  std::optional<DType> dtype;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const OnesLike&, const OnesLike&) = default;
};

inline void infer(const OnesLike& op, InferArgs& a) { a.set(0, op.dtype.value_or(a.dtype(0)), a.shape(0)); }

inline void reference(const OnesLike&, ReferenceArgs& a) { fill(a.context(), a.out(0), 1.0, 1); }

inline constexpr const OpSchema* ones_like_op = &kOpSchema<OnesLike>;

}  // namespace coracle::internal
