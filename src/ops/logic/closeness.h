// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>

#include "graph/lowering.h"
#include "ops/common/binary.h"

namespace coracle::internal {

/// Ports and attribute of the comparisons within a tolerance.
struct Closeness {
  static constexpr Port kInputs[] = {in("x", "Input"), in("y", "Other"), value_in("rtol", "", "Rtol", DType::kFloat64),
                                     value_in("atol", "", "Atol", DType::kFloat64)};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool equal_nan = false;
  void attributes(AttributeVisitor& visit) { visit("equal_nan", equal_nan); }
  friend bool operator==(const Closeness&, const Closeness&) = default;
};

/// A tolerance that ProgramDesc gives as a tensor, as text or as a number.
inline ValueId tolerance(Lowering& l, const char* slot, const char* attribute, double missing) {
  if (l.has(slot)) return l.input(slot);
  double value = missing;
  if (const AttributeValue* given = l.attributes().find(attribute)) {
    if (const auto* written = std::get_if<std::string>(given)) {
      value = std::strtod(written->c_str(), nullptr);
    } else {
      value = l.attribute<double>(attribute, missing);
    }
  }
  return l.constant(Tensor::scalar(value));
}

template <class T>
void lower_closeness(Lowering& l) {
  if (l.is_pir()) return l.lower_by_ports(kOpSchema<T>);
  l.bind("Out", l.add(l.read_op(kOpSchema<T>), {{l.input("Input")},
                                                {l.input("Other")},
                                                {tolerance(l, "Rtol", "rtol", 1e-5)},
                                                {tolerance(l, "Atol", "atol", 1e-8)}}));
}

/// f(result index, whether |x - y| <= atol + rtol * |y|) for each pair.
template <class F>
void each_closeness(const Closeness& op, const ReferenceArgs& a, const Shape& shape, const F& f) {
  const double rtol = a.has(2) ? a.in(2).number(0) : 1e-5;
  const double atol = a.has(3) ? a.in(3).number(0) : 1e-8;
  const Tensor x = converted(a.context(), a.in(0), DType::kFloat64);
  const Tensor y = converted(a.context(), a.in(1), DType::kFloat64);
  const auto* px = x.data<double>();
  const auto* py = y.data<double>();
  BroadcastWalk(shape, x.shape(), y.shape()).each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
    const double u = px[ix];
    const double v = py[iy];
    const bool close = std::isnan(u) || std::isnan(v) ? op.equal_nan && std::isnan(u) && std::isnan(v)
                                                      : u == v || std::fabs(u - v) <= atol + rtol * std::fabs(v);
    f(i, close && (u == v || std::isnan(u) || (std::isfinite(u) && std::isfinite(v))));
  });
}

}  // namespace coracle::internal
