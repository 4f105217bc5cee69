// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle {

/// out = true where x is infinite
struct Isinf : UnaryOperator {
  static constexpr const char* kName = "isinf";
  static constexpr const char* kLegacy[] = {"isinf_v2"};
  static constexpr LodRule kLod = LodRule::kNone;
  friend bool operator==(const Isinf&, const Isinf&) = default;
};

inline void infer(const Isinf&, InferArgs& a) { a.set(0, DType::kBool, a.shape(0)); }

inline void reference(const Isinf&, ReferenceArgs& a) {
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    bool* to = a.out(0).data<bool>();
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
      const double x = static_cast<double>(from[i]);
      to[i] = std::isinf(x);
    }
  });
}

inline constexpr const OpRow* isinf_op = &kOpRow<Isinf>;

}  // namespace coracle
