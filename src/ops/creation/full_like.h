// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// A tensor of x's shape, every element the same number, of x's type unless one is named.
struct FullLike {
  static constexpr const char* kName = "full_like";
  static constexpr const char* kLegacy[] = {"fill_any_like", "fill_zeros_like", "fill_zeros_like2"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("value", "value")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  std::optional<DType> dtype;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const FullLike&, const FullLike&) = default;
};

inline void infer(const FullLike& op, InferArgs& a) { a.set(0, op.dtype.value_or(a.dtype(0)), a.shape(0)); }

inline void reference(const FullLike&, ReferenceArgs& a) {
  if (a.has(1) && a.in(1).count() > 0) {
    fill_from(a.context(), a.out(0), a.in(1));
  } else {
    fill(a.context(), a.out(0), 0.0, 0);
  }
}

inline constexpr const OpSchema* full_like_op = &kOpSchema<FullLike>;

}  // namespace coracle::internal
