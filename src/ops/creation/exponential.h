// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/random.h"

namespace coracle::internal {

/// Exponentially distributed numbers of rate lam, in the shape of x.
struct Exponential {
  static constexpr const char* kName = "exponential";
  static constexpr const char* kLegacy[] = {"exponential"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  double lam = 1.0;
  int64_t seed = 0;
  void attributes(AttributeVisitor& visit) {
    visit("lam", lam, "lambda");
    visit("seed", seed);
  }
  friend bool operator==(const Exponential&, const Exponential&) = default;
};

inline void infer(const Exponential&, InferArgs& a) { a.set(0, a.dtype(0), a.shape(0)); }

inline void reference(const Exponential& op, ReferenceArgs& a) {
  RandomStream random(op.seed);
  fill_each(a.context(), a.out(0), [&] { return -std::log(1.0 - random.uniform()) / op.lam; });
}

inline constexpr const OpSchema* exponential_op = &kOpSchema<Exponential>;

}  // namespace coracle::internal
