// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle {

/// out = true where x is a finite number
struct Isfinite : UnaryOperator {
  static constexpr const char* kName = "isfinite";
  static constexpr const char* kLegacy[] = {"isfinite_v2"};
  static constexpr LodRule kLod = LodRule::kNone;
  friend bool operator==(const Isfinite&, const Isfinite&) = default;
};

inline void infer(const Isfinite&, InferArgs& a) { a.set(0, DType::kBool, a.shape(0)); }

inline void reference(const Isfinite&, ReferenceArgs& a) {
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    bool* to = a.out(0).data<bool>();
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
      const double x = static_cast<double>(from[i]);
      to[i] = std::isfinite(x);
    }
  });
}

inline constexpr const OpRow* isfinite_op = &kOpRow<Isfinite>;

}  // namespace coracle
