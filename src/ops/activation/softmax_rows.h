// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/long_loop.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// Ports and axis of softmax and its logarithm. A 0-D tensor counts as one element.
struct SoftmaxOperator : UnaryOperator {
  int axis = -1;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const SoftmaxOperator&, const SoftmaxOperator&) = default;
};

inline void infer_softmax(const SoftmaxOperator& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  if (a.shape(0).rank_known() && !a.shape(0).is_scalar()) normalize_axis(op.axis, a.shape(0).rank());
  infer_unary(a);
}

/// The exponent of an element that lies `difference` behind the largest of its line: Paddle takes none for below -64,
/// so that no share of a softmax is 0 and its logarithm is finite.
inline double softmax_exponent(double difference) { return difference < -64 ? -64 : difference; }

/// Paddle goes through lines of float32 that lie next to each other in vectors of eight, and in these takes -64 also
/// for what is no number, the difference of infinities; narrower types, computed in float32, follow it here. So the
/// shares of a line that is -inf throughout are equal if its length is a multiple of eight, and no numbers otherwise.
/// This is how many of a line's `n` elements it holds for. What is no number is never the largest, but for the first
/// element, which then stays it.
inline int64_t softmax_elements_in_vectors(int64_t n) { return n - n % 8; }

inline double softmax_exponent(double difference, bool in_vector) {
  return in_vector && std::isnan(difference) ? -64 : softmax_exponent(difference);
}

/// y = f(exponent of x, sum of exp(exponent)), the sum along the axis. `in_vectors`: of lines as above.
template <class F>
void reference_softmax(const SoftmaxOperator& op, ReferenceArgs& a, bool in_vectors, const F& f) {
  const Shape& s = a.shape(0);
  const int rank = s.rank();
  const int axis = rank == 0 ? 0 : normalize_axis(op.axis, rank);
  const int64_t outer = s.count(0, axis);
  const int64_t n = rank == 0 ? 1 : s[axis];
  const int64_t inner = rank == 0 ? 1 : s.count(axis + 1, rank);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const int64_t vectors = in_vectors && inner == 1 && !std::is_same_v<T, double> ? softmax_elements_in_vectors(n) : 0;
    const auto exponent = [&](T value, double largest, int64_t at) {
      return softmax_exponent(static_cast<double>(value) - largest, at < vectors);
    };
    LoopCheck check(a.context());
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const T* x = a.in(0).data<T>() + o * n * inner + i;
        T* y = a.out(0).data<T>() + o * n * inner + i;
        double largest = n > 0 ? static_cast<double>(x[0]) : 0;
        for (int64_t k = 0; k < n; ++k) {
          check.step();
          largest = std::max(largest, static_cast<double>(x[k * inner]));
        }
        double sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          check.step(4);
          sum += std::exp(exponent(x[k * inner], largest, k));
        }
        for (int64_t k = 0; k < n; ++k) {
          check.step(4);
          y[k * inner] = static_cast<T>(f(exponent(x[k * inner], largest, k), sum));
        }
      }
    }
  });
}

}  // namespace coracle::internal
