// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/convert.h"
#include "ops/creation/spacing.h"

namespace coracle::internal {

/// base to the power of num evenly spaced numbers from start to stop.
struct Logspace {
  static constexpr const char* kName = "logspace";
  static constexpr const char* kLegacy[] = {"logspace"};
  static constexpr Port kInputs[] = {in("start", "Start"),
                                     in("stop", "Stop"),
                                     {.name = "num", .slot = "Num", .shape_input = true},
                                     in("base", "Base")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const Logspace&, const Logspace&) = default;
};

inline void infer(const Logspace& op, InferArgs& a) { infer_spacing(a, 2, op.dtype); }

inline void reference(const Logspace& op, ReferenceArgs& a) {
  const double base = number_as(a.in(3), op.dtype);
  const double start = number_as(a.in(0), op.dtype);
  const double stop = number_as(a.in(1), op.dtype);
  visit_real(op.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    each_position(start, stop, a.out(0).count(), [=](int64_t i, double x) { to[i] = convert<T>(std::pow(base, x)); });
  });
}

inline constexpr const OpSchema* logspace_op = &kOpSchema<Logspace>;

}  // namespace coracle::internal
