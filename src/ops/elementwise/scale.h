// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "graph/lowering.h"
#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = scale * x + bias, or scale * (x + bias). For integers, scale and bias are first brought to x's type.
struct Scale {
  static constexpr const char* kName = "scale";
  static constexpr const char* kLegacy[] = {"scale"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("scale", "scale", "ScaleTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double bias = 0.0;
  bool bias_after_scale = true;
  void attributes(AttributeVisitor& visit) {
    visit("bias", bias);
    visit("bias_after_scale", bias_after_scale);
  }
  friend bool operator==(const Scale&, const Scale&) = default;
};

inline void infer(const Scale&, InferArgs& a) { infer_unary(a); }

inline void reference(const Scale& op, ReferenceArgs& a) {
  const double scale = a.has(1) && a.in(1).count() > 0 ? a.in(1).number(0) : 1.0;
  const Tensor& x = a.in(0);
  if (is_complex(x.dtype())) {
    return visit_complex(x.dtype(), [&](auto* p) {
      using C = std::complex<std::remove_pointer_t<decltype(p)>>;
      for (int64_t i = 0, n = x.count(); i < n; ++i) {
        const std::complex<double> v(x.data<C>()[i]);
        a.out(0).data<C>()[i] = C(op.bias_after_scale ? v * scale + op.bias : (v + op.bias) * scale);
      }
    });
  }
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    using Whole = std::conditional_t<std::is_same_v<T, bool>, bool, int64_t>;
    const double s = is_float(x.dtype()) ? scale : static_cast<double>(convert<Whole>(scale));
    const double b = is_float(x.dtype()) ? op.bias : static_cast<double>(convert<Whole>(op.bias));
    const T* from = x.data<T>();
    T* to = a.out(0).data<T>();
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      if constexpr (std::is_same_v<T, int64_t>) {
        const auto si = static_cast<uint64_t>(convert<int64_t>(s));
        const auto bi = static_cast<uint64_t>(convert<int64_t>(b));
        const auto xi = static_cast<uint64_t>(from[i]);
        to[i] = static_cast<int64_t>(op.bias_after_scale ? xi * si + bi : (xi + bi) * si);
      } else {
        const double v = static_cast<double>(from[i]);
        to[i] = convert<T>(op.bias_after_scale ? v * s + b : (v + b) * s);
      }
    }
  });
}

inline std::optional<UnaryStep> unary_step(const Scale& op, const NodeFacts& f) {
  const auto scale = f.number(1, 1.0);
  if (!scale) return std::nullopt;
  return unary(op.bias_after_scale ? UnaryKind::kScaleShift : UnaryKind::kShiftScale, *scale, op.bias);
}

inline bool is_identity(const Scale& op, const NodeFacts& f) { return op.bias == 0 && f.number(1, 1.0) == 1.0; }

inline constexpr const OpSchema* scale_op = &kOpSchema<Scale>;

}  // namespace coracle::internal
