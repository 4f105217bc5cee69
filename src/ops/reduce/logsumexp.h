// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "base/buffer.h"
#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = log(sum(e^x)) over the axes; not a number where the largest element is infinite
struct Logsumexp {
  static constexpr const char* kName = "logsumexp";
  static constexpr const char* kLegacy[] = {"logsumexp"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints axis{0};
  bool keepdim = false;
  bool reduce_all = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("keepdim", keepdim);
    visit("reduce_all", reduce_all);
  }
  friend bool operator==(const Logsumexp&, const Logsumexp&) = default;
};

inline void infer(const Logsumexp& op, InferArgs& a) {
  a.set(0, a.dtype(0), reduced_shape(a.shape(0), &op.axis, op.reduce_all, op.keepdim));
}

inline void reference(const Logsumexp& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = reduced_dimensions(op.axis, op.reduce_all, a.shape(0).rank());
  const ReductionWalk walk(a.shape(0), reduced);
  const auto n = static_cast<size_t>(a.out(0).count());
  Buffer<double> most(n, -std::numeric_limits<double>::infinity(), a.context());
  Buffer<double> sums(n, 0.0, a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    walk.each(a.context(), [&](int64_t r, int64_t i) {
      double& m = most[static_cast<size_t>(r)];
      const auto v = static_cast<double>(x[i]);
      if (v > m || v != v) m = v;
    });
    walk.each(a.context(), [&](int64_t r, int64_t i) {
      sums[static_cast<size_t>(r)] += std::exp(static_cast<double>(x[i]) - most[static_cast<size_t>(r)]);
    });
    for (size_t i = 0; i < n; ++i) {
      a.out(0).data<T>()[i] = static_cast<T>(most[i] + std::log(sums[i]));
    }
  });
}

inline constexpr const OpSchema* logsumexp_op = &kOpSchema<Logsumexp>;

}  // namespace coracle::internal
