// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// The inverse of frame: pieces hop_length apart are added up to a signal.
struct OverlapAdd {
  static constexpr const char* kName = "overlap_add";
  static constexpr const char* kLegacy[] = {"overlap_add"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t hop_length = 1;
  int64_t axis = -1;
  void attributes(AttributeVisitor& visit) {
    visit("hop_length", hop_length);
    visit("axis", axis);
  }
  friend bool operator==(const OverlapAdd&, const OverlapAdd&) = default;
};

inline void infer(const OverlapAdd& op, InferArgs& a) {
  require(op.hop_length > 0, "hop_length is ", op.hop_length);
  require(op.axis == 0 || op.axis == -1, "axis is ", op.axis, ", expected 0 or -1");
  Shape y = a.shape(0);
  if (!y.rank_known()) return a.set(0, a.dtype(0), y);
  require(y.rank() >= 2, "x has shape ", y, ", expected at least 2 dimensions");
  const int64_t frames = op.axis == 0 ? y[0] : y.back();
  const int64_t length = op.axis == 0 ? y[1] : y[y.rank() - 2];
  const int64_t n = frames < 0 || length < 0
                        ? Shape::kUnknown
                        : checked_add(checked_multiply(std::max<int64_t>(frames - 1, 0), op.hop_length), length);
  y.erase(op.axis == 0 ? 0 : y.rank() - 1);
  y[op.axis == 0 ? 0 : y.rank() - 1] = n;
  a.set(0, a.dtype(0), y);
}

inline void reference(const OverlapAdd& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const bool front = op.axis == 0;
  const int64_t frames = front ? x[0] : x.back();
  const int64_t length = front ? x[1] : x[x.rank() - 2];
  const int64_t outer = front ? 1 : x.count(0, x.rank() - 2);
  const int64_t inner = front ? x.count(2, x.rank()) : 1;
  const int64_t n = front ? a.out(0).shape()[0] : a.out(0).shape().back();
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    T* to = a.out(0).data<T>();
    std::fill_n(to, a.out(0).count(), static_cast<T>(0));
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t f = 0; f < frames; ++f) {
        for (int64_t k = 0; k < length; ++k) {
          for (int64_t i = 0; i < inner; ++i) {
            const int64_t at = front ? (f * length + k) * inner + i : (o * length + k) * frames + f;
            T& sum = to[(o * n + f * op.hop_length + k) * inner + i];
            sum = wrapped_sum(sum, from[at]);
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* overlap_add_op = &kOpSchema<OverlapAdd>;

}  // namespace coracle::internal
