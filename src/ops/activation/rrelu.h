// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// Leaky ReLU whose slope is, in a model that does not train, the middle of lower and upper.
struct Rrelu {
  static constexpr const char* kName = "rrelu";
  static constexpr const char* kLegacy[] = {"rrelu"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("noise", "Noise")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double lower = 0.125;
  double upper = 1.0 / 3;
  void attributes(AttributeVisitor& visit) {
    visit("lower", lower);
    visit("upper", upper);
  }
  friend bool operator==(const Rrelu&, const Rrelu&) = default;
};

inline void infer(const Rrelu&, InferArgs& a) {
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(0), a.shape(0));
}

inline void reference(const Rrelu& op, ReferenceArgs& a) {
  const double slope = (op.lower + op.upper) / 2;
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
      const double x = static_cast<double>(from[i]);
      a.out(0).data<T>()[i] = static_cast<T>(x < 0 ? x * slope : x);
      if (a.wants(1)) a.out(1).data<T>()[i] = static_cast<T>(x < 0 ? slope : 1.0);
    }
  });
}

inline constexpr const OpSchema* rrelu_op = &kOpSchema<Rrelu>;

}  // namespace coracle::internal
