// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/casting.h"

namespace coracle::internal {

/// The elements in another type. Real to integers truncates; what does not fit gives what the x86 conversion gives
/// (the smallest number); anything but zero is true. What float8 does not hold: base/float8.h.
struct Cast {
  static constexpr const char* kName = "cast";
  static constexpr const char* kLegacy[] = {"cast"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kAnyType = true;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype, "out_dtype"); }
  friend bool operator==(const Cast&, const Cast&) = default;
};

inline void infer(const Cast& op, InferArgs& a) { a.set(0, op.dtype, a.shape(0)); }

inline void reference(const Cast& op, ReferenceArgs& a) { cast(a.context(), a.in(0), op.dtype, a.out(0)); }

inline bool is_identity(const Cast& op, const NodeFacts& f) { return f.in(0).dtype == op.dtype; }

inline constexpr const OpSchema* cast_op = &kOpSchema<Cast>;

}  // namespace coracle::internal
