// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/creation/spacing.h"

namespace coracle::internal {

/// num evenly spaced numbers from start to stop.
struct Linspace {
  static constexpr const char* kName = "linspace";
  static constexpr const char* kLegacy[] = {"linspace"};
  static constexpr Port kInputs[] = {
      in("start", "Start"), in("stop", "Stop"), {.name = "num", .slot = "Num", .shape_input = true}};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const Linspace&, const Linspace&) = default;
};

inline void infer(const Linspace& op, InferArgs& a) { infer_spacing(a, 2, op.dtype); }

inline void reference(const Linspace& op, ReferenceArgs& a) {
  const double start = number_as(a.in(0), op.dtype);
  const double stop = number_as(a.in(1), op.dtype);
  visit_real(op.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    each_position(start, stop, a.out(0).count(), [to](int64_t i, double x) { to[i] = convert<T>(x); });
  });
}

inline constexpr const OpSchema* linspace_op = &kOpSchema<Linspace>;

}  // namespace coracle::internal
