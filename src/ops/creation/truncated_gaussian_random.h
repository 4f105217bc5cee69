// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/random.h"

namespace coracle::internal {

/// Normally distributed numbers of which those outside [a, b] standard deviations are drawn again.
struct TruncatedGaussianRandom {
  static constexpr const char* kName = "truncated_gaussian_random";
  static constexpr const char* kLegacy[] = {"truncated_gaussian_random"};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  Ints shape;
  double mean = 0.0;
  double std = 1.0;
  int64_t seed = 0;
  double a = -2.0;
  double b = 2.0;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) {
    visit("shape", shape);
    visit("mean", mean);
    visit("std", std);
    visit("seed", seed);
    visit("a", a);
    visit("b", b);
    visit("dtype", dtype);
  }
  friend bool operator==(const TruncatedGaussianRandom&, const TruncatedGaussianRandom&) = default;
};

inline void infer(const TruncatedGaussianRandom& op, InferArgs& a) {
  const Shape shape(op.shape);
  require(shape.known(), "shape ", shape, " is not complete");
  require(op.a < op.b, "the bounds are ", op.a, " and ", op.b);
  a.set(0, op.dtype, shape);
}

inline void reference(const TruncatedGaussianRandom& op, ReferenceArgs& a) {
  // Where the interval is far out, drawing again could take for ever: then it is drawn evenly.
  constexpr int kMaxDraws = 1000;
  RandomStream random(op.seed);
  fill_each(a.context(), a.out(0), [&] {
    for (int i = 0; i < kMaxDraws; ++i) {
      const double x = random.normal();
      if (x >= op.a && x <= op.b) return op.mean + op.std * x;
    }
    return op.mean + op.std * (op.a + (op.b - op.a) * random.uniform());
  });
}

inline constexpr const OpSchema* truncated_gaussian_random_op = &kOpSchema<TruncatedGaussianRandom>;

}  // namespace coracle::internal
