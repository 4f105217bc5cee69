// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "graph/op.h"

namespace coracle::internal {

/// The maximum over each `groups` adjacent channels, as max pooling has it: the lowest float32 at least, and NaN is
/// followed by the channel after it.
struct Maxout {
  static constexpr const char* kName = "maxout";
  static constexpr const char* kLegacy[] = {"maxout"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int groups = 1;
  int axis = 1;
  void attributes(AttributeVisitor& visit) {
    visit("groups", groups);
    visit("axis", axis);
  }
  friend bool operator==(const Maxout&, const Maxout&) = default;
};

inline void infer(const Maxout& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const int axis = normalize_axis(op.axis, y.rank());
    require(op.groups > 0, "groups is ", op.groups, ", expected a positive number");
    require(y[axis] < 0 || y[axis] % op.groups == 0, "x ", y, " does not divide into groups of ", op.groups);
    if (y[axis] >= 0) y[axis] /= op.groups;
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Maxout& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const int axis = normalize_axis(op.axis, y.rank());
  const int64_t inner = y.count(axis + 1, y.rank());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = y.count(); i < n; ++i) {
      const T* from = a.in(0).data<T>() + i / inner * op.groups * inner + i % inner;
      T largest = static_cast<T>(std::numeric_limits<float>::lowest());
      for (int g = 0; g < op.groups; ++g) largest = largest > from[g * inner] ? largest : from[g * inner];
      a.out(0).data<T>()[i] = largest;
    }
  });
}

inline constexpr const OpSchema* maxout_op = &kOpSchema<Maxout>;

}  // namespace coracle::internal
