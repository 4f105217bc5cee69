// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/random.h"

namespace coracle::internal {

/// Normally distributed numbers.
struct Gaussian {
  static constexpr const char* kName = "gaussian";
  static constexpr const char* kLegacy[] = {"gaussian_random"};
  static constexpr Port kInputs[] = {shape_in("shape", "shape", "ShapeTensor", "ShapeTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  double mean = 0.0;
  double std = 1.0;
  int64_t seed = 0;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) {
    visit("mean", mean);
    visit("std", std);
    visit("seed", seed);
    visit("dtype", dtype);
  }
  friend bool operator==(const Gaussian&, const Gaussian&) = default;
};

inline void infer(const Gaussian& op, InferArgs& a) {
  require_operand(a, 0, "shape");
  a.set(0, op.dtype, filled_shape(a, 0));
}

inline void reference(const Gaussian& op, ReferenceArgs& a) {
  RandomStream random(op.seed);
  fill_each(a.context(), a.out(0), [&] { return op.mean + op.std * random.normal(); });
}

inline constexpr const OpSchema* gaussian_op = &kOpSchema<Gaussian>;

}  // namespace coracle::internal
