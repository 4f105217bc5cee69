// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// The sum of the squares of all elements, of shape [1].
struct SquaredL2Norm {
  static constexpr const char* kName = "squared_l2_norm";
  static constexpr const char* kLegacy[] = {"squared_l2_norm"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SquaredL2Norm&, const SquaredL2Norm&) = default;
};

inline void infer(const SquaredL2Norm&, InferArgs& a) { a.set(0, a.dtype(0), Shape{1}); }

inline void reference(const SquaredL2Norm&, ReferenceArgs& a) {
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    double sum = 0;
    for (const T& x : a.in(0).values<T>()) sum += static_cast<double>(x) * static_cast<double>(x);
    a.out(0).data<T>()[0] = static_cast<T>(sum);
  });
}

inline constexpr const OpSchema* squared_l2_norm_op = &kOpSchema<SquaredL2Norm>;

}  // namespace coracle::internal
