// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// 1 with the probability that x gives, else 0.
struct Bernoulli {
  static constexpr const char* kName = "bernoulli";
  static constexpr const char* kLegacy[] = {"bernoulli"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kPure = false;
  int64_t seed = 0;
  void attributes(AttributeVisitor& visit) { visit("seed", seed); }
  friend bool operator==(const Bernoulli&, const Bernoulli&) = default;
};

inline void infer(const Bernoulli&, InferArgs& a) { a.set(0, a.dtype(0), a.shape(0)); }

inline void reference(const Bernoulli& op, ReferenceArgs& a) {
  RandomStream random(op.seed);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
      check.step();
      a.out(0).data<T>()[i] = static_cast<T>(random.uniform() < static_cast<double>(a.in(0).data<T>()[i]) ? 1 : 0);
    }
  });
}

inline constexpr const OpSchema* bernoulli_op = &kOpSchema<Bernoulli>;

}  // namespace coracle::internal
