// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/random.h"

namespace coracle::internal {

/// Numbers evenly distributed in [min, max).
struct Uniform {
  static constexpr const char* kName = "uniform";
  static constexpr const char* kLegacy[] = {"uniform_random"};
  static constexpr Port kInputs[] = {shape_in("shape", "shape", "ShapeTensor", "ShapeTensorList"),
                                     value_in("min", "min"), value_in("max", "max")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  int64_t seed = 0;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) {
    visit("seed", seed);
    visit("dtype", dtype);
  }
  friend bool operator==(const Uniform&, const Uniform&) = default;
};

inline void infer(const Uniform& op, InferArgs& a) {
  require_operand(a, 0, "shape");
  a.set(0, op.dtype, filled_shape(a, 0));
}

inline void reference(const Uniform& op, ReferenceArgs& a) {
  const double low = a.has(1) ? a.in(1).number(0) : -1.0;
  const double high = a.has(2) ? a.in(2).number(0) : 1.0;
  RandomStream random(op.seed);
  fill_each(a.context(), a.out(0), [&] { return low + (high - low) * random.uniform(); });
}

inline constexpr const OpSchema* uniform_op = &kOpSchema<Uniform>;

}  // namespace coracle::internal
