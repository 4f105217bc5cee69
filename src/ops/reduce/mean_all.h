// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// The mean of all elements, a scalar.
struct MeanAll {
  static constexpr const char* kName = "mean_all";
  static constexpr const char* kLegacy[] = {"mean"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const MeanAll&, const MeanAll&) = default;
};

inline void infer(const MeanAll&, InferArgs& a) { a.set(0, a.dtype(0), Shape{}); }

inline void reference(const MeanAll&, ReferenceArgs& a) {
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    double sum = 0;
    for (const T& x : a.in(0).values<T>()) sum += static_cast<double>(x);
    a.out(0).data<T>()[0] = static_cast<T>(sum / static_cast<double>(a.in(0).count()));
  });
}

inline constexpr const OpSchema* mean_all_op = &kOpSchema<MeanAll>;

}  // namespace coracle::internal
