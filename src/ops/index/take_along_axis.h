// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/index/along_axis.h"

namespace coracle::internal {

/// Elements of arr by index along `axis`; the other coordinates are those of the index.
struct TakeAlongAxis {
  static constexpr const char* kName = "take_along_axis";
  static constexpr const char* kLegacy[] = {"take_along_axis"};
  static constexpr Port kInputs[] = {in("arr", "Input"), in("indices", "Index")};
  static constexpr Port kOutputs[] = {out("out", "Result")};
  int axis = 0;
  bool as_matrices = false;  ///< see each_along_axis
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis, "Axis");
    visit("as_matrices", as_matrices);
  }
  friend bool operator==(const TakeAlongAxis&, const TakeAlongAxis&) = default;
  static void lower(Lowering& l);
};

inline void infer(const TakeAlongAxis& op, InferArgs& a) {
  require_along_axis(a.shape(0), a.shape(1), op.axis);
  a.set(0, a.dtype(0), a.shape(1));
}

inline void reference(const TakeAlongAxis& op, ReferenceArgs& a) {
  const int axis = normalize_axis(op.axis, a.shape(0).rank());
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    each_along_axis(a.context(), a.in(1), a.shape(0), axis, op.as_matrices,
                    [&](int64_t i, int64_t at) { a.out(0).data<T>()[i] = a.in(0).data<T>()[at]; });
  });
}

inline void TakeAlongAxis::lower(Lowering& l) {
  auto op = l.read<TakeAlongAxis>();
  op.as_matrices = !l.is_pir();
  l.bind("Result", l.add(op, l.ports_of(kOpSchema<TakeAlongAxis>)));
}

inline constexpr const OpSchema* take_along_axis_op = &kOpSchema<TakeAlongAxis>;

}  // namespace coracle::internal
