// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = x, scaled down where its length exceeds max_norm; NaN throughout where there is one in x
struct ClipByNorm : UnaryOperator {
  static constexpr const char* kName = "clip_by_norm";
  static constexpr const char* kLegacy[] = {"clip_by_norm"};
  double max_norm = 1.0;
  void attributes(AttributeVisitor& visit) { visit("max_norm", max_norm); }
  friend bool operator==(const ClipByNorm&, const ClipByNorm&) = default;
};

inline void infer(const ClipByNorm&, InferArgs& a) { infer_unary(a); }

inline void reference(const ClipByNorm& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  double squares = 0;
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (const T& v : x.values<T>()) squares += static_cast<double>(v) * static_cast<double>(v);
  });
  const double norm = std::sqrt(squares);
  const double factor = norm <= op.max_norm ? 1.0 : op.max_norm / norm;
  reference_unary(a, [=](double v) { return v * factor; });
}

inline constexpr const OpSchema* clip_by_norm_op = &kOpSchema<ClipByNorm>;

}  // namespace coracle::internal
