// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// The numbers from 0 to n - 1 in random order.
struct Randperm {
  static constexpr const char* kName = "randperm";
  static constexpr const char* kLegacy[] = {"randperm"};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  int64_t n = 0;
  int64_t seed = 0;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) {
    visit("n", n);
    visit("seed", seed);
    visit("dtype", dtype);
  }
  friend bool operator==(const Randperm&, const Randperm&) = default;
};

inline void infer(const Randperm& op, InferArgs& a) {
  require(op.n >= 0, "n is ", op.n);
  a.set(0, op.dtype, Shape{op.n});
}

inline void reference(const Randperm& op, ReferenceArgs& a) {
  RandomStream random(op.seed);
  visit_real(op.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (int64_t i = 0; i < op.n; ++i) to[i] = static_cast<T>(i);
    LoopCheck check(a.context());
    for (int64_t i = op.n - 1; i > 0; --i) {
      check.step(8);
      std::swap(to[i], to[random.below(i + 1)]);
    }
  });
}

inline constexpr const OpSchema* randperm_op = &kOpSchema<Randperm>;

}  // namespace coracle::internal
