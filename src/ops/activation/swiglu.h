// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "graph/op.h"
#include "ops/common/operand_types.h"

namespace coracle::internal {

/// out = x * sigmoid(x) * y; without y, x is halved along its last dimension
struct Swiglu {
  static constexpr const char* kName = "swiglu";
  static constexpr const char* kLegacy[] = {"swiglu"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Swiglu&, const Swiglu&) = default;
};

inline void infer(const Swiglu&, InferArgs& a) {
  require_one_dtype(a, {1});
  Shape y = a.shape(0);
  if (a.has(1)) {
    require(compatible(y, a.shape(1)), "x ", y, " and y ", a.shape(1), " have different shapes");
  } else if (y.rank_known()) {
    require(y.rank() >= 1 && (y.back() < 0 || y.back() % 2 == 0), "x ", y, " cannot be halved");
    if (y.back() >= 0) y[y.rank() - 1] = y.back() / 2;
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Swiglu&, ReferenceArgs& a) {
  const int64_t n = a.out(0).shape().is_scalar() ? 1 : a.out(0).shape().back();
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    for (int64_t i = 0, count = a.out(0).count(); i < count; ++i) {
      const int64_t at = a.has(1) ? i : i / n * 2 * n + i % n;
      const double u = static_cast<double>(x[at]);
      const double v = static_cast<double>(a.has(1) ? a.in(1).data<T>()[i] : x[at + n]);
      a.out(0).data<T>()[i] = static_cast<T>(u / (1.0 + std::exp(-u)) * v);
    }
  });
}

inline constexpr const OpSchema* swiglu_op = &kOpSchema<Swiglu>;

}  // namespace coracle::internal
