// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/closeness.h"

namespace coracle::internal {

/// out = where x is y within atol + rtol * |y|
struct Isclose : Closeness {
  static constexpr const char* kName = "isclose";
  static constexpr const char* kLegacy[] = {"isclose"};
  friend bool operator==(const Isclose&, const Isclose&) = default;
  static void lower(Lowering& l) { lower_closeness<Isclose>(l); }
};

inline void infer(const Isclose&, InferArgs& a) { a.set(0, DType::kBool, broadcast(a.shape(0), a.shape(1))); }

inline void reference(const Isclose& op, ReferenceArgs& a) {
  bool* to = a.out(0).data<bool>();
  each_closeness(op, a, a.out(0).shape(), [to](int64_t i, bool close) { to[i] = close; });
}

inline constexpr const OpSchema* isclose_op = &kOpSchema<Isclose>;

}  // namespace coracle::internal
