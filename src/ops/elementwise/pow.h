// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x to the power of one number, which counts without its fraction where x is whole
struct Pow {
  static constexpr const char* kName = "pow";
  static constexpr const char* kLegacy[] = {"pow"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("y", "factor", "FactorTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Pow&, const Pow&) = default;
};

inline void infer(const Pow&, InferArgs& a) { infer_unary(a); }

inline void reference(const Pow&, ReferenceArgs& a) {
  const double y = a.has(1) ? a.in(1).number(0) : 1.0;
  if (is_complex(a.in(0).dtype())) {
    return visit_complex(a.in(0).dtype(), [&](auto* p) {
      using C = std::complex<std::remove_pointer_t<decltype(p)>>;
      const C* x = a.in(0).data<C>();
      std::transform(x, x + a.in(0).count(), a.out(0).data<C>(),
                     [=](C v) { return C(std::pow(std::complex<double>(v), y)); });
    });
  }
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T exponent = convert<T>(y);
      const T* x = a.in(0).data<T>();
      std::transform(x, x + a.in(0).count(), a.out(0).data<T>(), [=](T v) { return whole_power(v, exponent); });
    } else {
      reference_unary(a, [=](double x) { return std::pow(x, y); });
    }
  });
}

inline std::optional<UnaryStep> unary_step(const Pow&, const NodeFacts& f) {
  const auto exponent = f.number(1, 1.0);
  if (!exponent) return std::nullopt;
  if (*exponent == 2) return unary(UnaryKind::kSquare);
  if (*exponent == 1) return unary(UnaryKind::kScaleShift, 1, 0);
  return unary(UnaryKind::kPow, *exponent);
}

inline constexpr const OpSchema* pow_op = &kOpSchema<Pow>;

}  // namespace coracle::internal
