// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/closeness.h"

namespace coracle::internal {

/// out = whether every x is its y within atol + rtol * |y|, a scalar
struct Allclose : Closeness {
  static constexpr const char* kName = "allclose";
  static constexpr const char* kLegacy[] = {"allclose"};
  friend bool operator==(const Allclose&, const Allclose&) = default;
  static void lower(Lowering& l) { lower_closeness<Allclose>(l); }
};

inline void infer(const Allclose&, InferArgs& a) {
  broadcast(a.shape(0), a.shape(1));
  a.set(0, DType::kBool, Shape{});
}

inline void reference(const Allclose& op, ReferenceArgs& a) {
  bool all = true;
  each_closeness(op, a, broadcast(a.shape(0), a.shape(1)), [&all](int64_t, bool close) { all = all && close; });
  a.out(0).data<bool>()[0] = all;
}

inline constexpr const OpSchema* allclose_op = &kOpSchema<Allclose>;

}  // namespace coracle::internal
