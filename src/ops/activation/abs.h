// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// out = |x|, real also for complex x
struct Abs : UnaryOperator {
  static constexpr const char* kName = "abs";
  static constexpr const char* kLegacy[] = {"abs"};
  static constexpr LodRule kLod = LodRule::kNone;
  friend bool operator==(const Abs&, const Abs&) = default;
};

inline void infer(const Abs&, InferArgs& a) { a.set(0, part_type(a.dtype(0)), a.shape(0)); }

inline void reference(const Abs&, ReferenceArgs& a) {
  if (is_complex(a.in(0).dtype())) {
    visit_complex(a.in(0).dtype(), [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      const auto* from = a.in(0).data<std::complex<T>>();
      for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) a.out(0).data<T>()[i] = std::abs(from[i]);
    });
    return;
  }
  reference_unary(a, [](double x) { return std::fabs(x); });
}

inline std::optional<UnaryStep> unary_step(const Abs&, const NodeFacts&) { return unary(UnaryKind::kAbs); }

inline constexpr const OpSchema* abs_op = &kOpSchema<Abs>;

}  // namespace coracle::internal
