// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// Zeros of the shape of x, of its type unless one is named.
struct ZerosLike {
  static constexpr const char* kName = "zeros_like";
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  std::optional<DType> dtype;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const ZerosLike&, const ZerosLike&) = default;
};

inline void infer(const ZerosLike& op, InferArgs& a) { a.set(0, op.dtype.value_or(a.dtype(0)), a.shape(0)); }

inline void reference(const ZerosLike&, ReferenceArgs& a) { fill(a.context(), a.out(0), 0.0, 0); }

inline constexpr const OpSchema* zeros_like_op = &kOpSchema<ZerosLike>;

}  // namespace coracle::internal
