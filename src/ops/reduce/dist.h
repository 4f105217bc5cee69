// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/binary.h"

namespace coracle::internal {

/// The p-norm of x - y over all elements, a scalar; shapes broadcast.
struct Dist {
  static constexpr const char* kName = "dist";
  static constexpr const char* kLegacy[] = {"dist"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  double p = 2.0;
  void attributes(AttributeVisitor& visit) { visit("p", p); }
  friend bool operator==(const Dist&, const Dist&) = default;
};

inline void infer(const Dist&, InferArgs& a) {
  broadcast(a.shape(0), a.shape(1));
  a.set(0, promote(a.dtype(0), a.dtype(1)), Shape{});
}

inline void reference(const Dist& op, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = converted(a.context(), a.in(0), dtype);
  const Tensor y = converted(a.context(), a.in(1), dtype);
  const double infinity = std::numeric_limits<double>::infinity();
  visit_float(dtype, [&](auto* ptr) {
    using T = std::remove_pointer_t<decltype(ptr)>;
    double sum = op.p == -infinity ? infinity : 0.0;
    BroadcastWalk(broadcast(x.shape(), y.shape()), x.shape(), y.shape())
        .each(a.context(), [&](int64_t, int64_t ix, int64_t iy) {
          const double d = std::fabs(static_cast<double>(x.data<T>()[ix]) - static_cast<double>(y.data<T>()[iy]));
          if (op.p == 0) {
            sum += d != 0 ? 1.0 : 0.0;
          } else if (std::isinf(op.p)) {
            sum = sum != sum || d != d ? sum + d : op.p > 0 ? std::max(sum, d) : std::min(sum, d);
          } else {
            sum += std::pow(d, op.p);
          }
        });
    a.out(0).data<T>()[0] = static_cast<T>(op.p == 0 || std::isinf(op.p) ? sum : std::pow(sum, 1.0 / op.p));
  });
}

inline constexpr const OpSchema* dist_op = &kOpSchema<Dist>;

}  // namespace coracle::internal
