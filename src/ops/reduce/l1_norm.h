// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "graph/op.h"

namespace coracle::internal {

/// The sum of the magnitudes of all elements, a scalar.
struct L1Norm {
  static constexpr const char* kName = "l1_norm";
  static constexpr const char* kLegacy[] = {"l1_norm"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const L1Norm&, const L1Norm&) = default;
};

inline void infer(const L1Norm&, InferArgs& a) { a.set(0, a.dtype(0), Shape{}); }

inline void reference(const L1Norm&, ReferenceArgs& a) {
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    double sum = 0;
    for (const T& x : a.in(0).values<T>()) sum += std::fabs(static_cast<double>(x));
    a.out(0).data<T>()[0] = static_cast<T>(sum);
  });
}

inline constexpr const OpSchema* l1_norm_op = &kOpSchema<L1Norm>;

}  // namespace coracle::internal
