// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/random.h"

namespace coracle::internal {

/// Integers evenly distributed in [low, high).
struct Randint {
  static constexpr const char* kName = "randint";
  static constexpr const char* kLegacy[] = {"randint"};
  static constexpr Port kInputs[] = {shape_in("shape", "shape", "ShapeTensor", "ShapeTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  int64_t low = 0;
  int64_t high = 1;
  int64_t seed = 0;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) {
    visit("low", low);
    visit("high", high);
    visit("seed", seed);
    visit("dtype", dtype);
  }
  friend bool operator==(const Randint&, const Randint&) = default;
};

inline void infer(const Randint& op, InferArgs& a) {
  require_operand(a, 0, "shape");
  require(op.low < op.high, "low is ", op.low, ", high is ", op.high);
  a.set(0, op.dtype, filled_shape(a, 0));
}

inline void reference(const Randint& op, ReferenceArgs& a) {
  RandomStream random(op.seed);
  const auto range = static_cast<int64_t>(static_cast<uint64_t>(op.high) - static_cast<uint64_t>(op.low));
  fill_each(a.context(), a.out(0), [&] { return op.low + (range > 0 ? random.below(range) : 0); });
}

inline constexpr const OpSchema* randint_op = &kOpSchema<Randint>;

}  // namespace coracle::internal
